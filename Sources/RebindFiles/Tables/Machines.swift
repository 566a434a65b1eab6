package import ELFVocabulary

/// The machines that a file's tables depend on, and that no image of ours can be for.
extension Machine {
  /// The corresponding constant is `EM_MIPS`.
  package static var mips: Self { Self(rawValue: 8) }
  /// The corresponding constant is `EM_ALPHA`.
  package static var alpha: Self { Self(rawValue: 0x9026) }
  /// The corresponding constant is `EM_PPC`.
  package static var ppc: Self { Self(rawValue: 20) }
  /// The corresponding constant is `EM_LOONGARCH`.
  package static var loongarch: Self { Self(rawValue: 258) }
  /// The corresponding constant is `EM_68K`.
  package static var m68k: Self { Self(rawValue: 4) }
  /// The corresponding constant is `EM_PARISC`.
  package static var hppa: Self { Self(rawValue: 15) }
  /// The corresponding constant is `EM_SH`.
  package static var superH: Self { Self(rawValue: 42) }
  /// The corresponding constant is `EM_IA_64`.
  package static var ia64: Self { Self(rawValue: 50) }
  /// The corresponding constant is `EM_BPF`.
  package static var bpf: Self { Self(rawValue: 247) }
  /// The corresponding constants are `EM_ARC_COMPACT` and `EM_ARCV2`.
  package static var arcs: [Self] { [93, 195].map { Self(rawValue: $0) } }
  /// The corresponding constants are `EM_SPARC`, `EM_SPARC32PLUS` and `EM_SPARCV9`.
  package static var sparcs: [Self] { [2, 18, 43].map { Self(rawValue: $0) } }
}
