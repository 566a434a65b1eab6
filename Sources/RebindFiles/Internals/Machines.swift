import Rebind

/// The machines that a file's tables depend on, and that no image of ours can be for.
extension Machine {
  /// The corresponding constant is `EM_MIPS`.
  static var mips: Self { Self(rawValue: 8) }
  /// The corresponding constant is `EM_ALPHA`.
  static var alpha: Self { Self(rawValue: 0x9026) }
  /// The corresponding constant is `EM_PPC`.
  static var ppc: Self { Self(rawValue: 20) }
  /// The corresponding constant is `EM_LOONGARCH`.
  static var loongarch: Self { Self(rawValue: 258) }
}
