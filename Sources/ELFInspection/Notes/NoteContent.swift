package import Rebind
package import RebindFiles

/// The meaning of a note's bytes.
package enum NoteContent {
  /// The corresponding note is `NT_GNU_BUILD_ID`.
  case buildID(BuildID)
  /// The oldest system that the file runs on: `Linux`, `3.2.0`. The corresponding note is
  /// `NT_GNU_ABI_TAG`.
  case abiTag(system: String, version: String)
  /// The corresponding note is `NT_GNU_PROPERTY_TYPE_0`.
  case properties([NoteProperty])
  /// A place where a tracer can look in: `NT_STAPSDT`.
  case probe(NoteProbe)
  /// Words for people, or JSON.
  case text(String)
  /// Where a section is, by Rebind's own notes; see Documentation/ABI/Annotations.md.
  case index(IndexedSection)

  /// Nil if the bytes have no meaning that is known here.
  init?(
    of note: NoteEntry, _ owner: String, in words: Words, at address: UInt64, _ machine: Machine,
    isRelocatable: Bool
  ) {
    let bytes = words.bytes[note.description]
    switch (owner, note.type) {
    case ("GNU", 1):
      guard bytes.count >= 16 else { return nil }
      let numbers = (0..<4).map { words.word32(at: note.description.lowerBound + 4 * $0) }
      let system =
        switch numbers[0] {
        case 0: "Linux"
        case 1: "Hurd"
        case 2: "Solaris"
        case 3: "FreeBSD"
        case 4: "NetBSD"
        case 5: "Syllable"
        case 6: "NaCl"
        default: "system \(numbers[0])"
        }
      self = .abiTag(
        system: system, version: numbers.dropFirst().map(String.init).joined(separator: "."))
    case ("GNU", 3) where !bytes.isEmpty:
      self = .buildID(BuildID(bytes: Array(bytes)))
    case ("GNU", 5):
      guard let properties = NoteProperty.all(in: words, note.description, machine) else {
        return nil
      }
      self = .properties(properties)
    case ("stapsdt", 3):
      guard let probe = NoteProbe(in: words, note.description) else { return nil }
      self = .probe(probe)
    case ("GNU", 4), ("Go", 4), ("FDO", 0xcafe_1a7e), ("FDO", 0x407c_0c0a):
      guard let text = String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self) else {
        return nil
      }
      self = .text(text)
    case ("Rebind", 1):
      // In an object file the distances are not filled in yet.
      guard !isRelocatable, let section = try? IndexNotes.section(words, note.description, address)
      else { return nil }
      self = .index(section)
    default:
      return nil
    }
  }
}

/// A place in code where a tracer can look in. The corresponding note is `NT_STAPSDT`.
package struct NoteProbe {
  package let provider: String
  package let name: String
  /// The link-time address of the place, as it was when the note was made.
  package let location: UInt64
  /// Where `.stapsdt.base` was then; 0 for none.
  package let base: UInt64
  /// A counter that a tracer counts up; 0 for none.
  package let semaphore: UInt64
  /// Where the arguments are: `8@%rax -4@$1`.
  package let arguments: String

  init?(in words: Words, _ range: Range<Int>) {
    let word = words.elfClass.addressSize
    guard range.count >= 3 * word else { return nil }
    location = words.word(at: range.lowerBound)
    base = words.word(at: range.lowerBound + word)
    semaphore = words.word(at: range.lowerBound + 2 * word)
    let texts = words.bytes[range.dropFirst(3 * word)]
      .split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    // Each of the three is ended by a zero byte.
    guard texts.count == 4 else { return nil }
    (provider, name, arguments) = (texts[0], texts[1], texts[2])
  }
}

/// A property of a file that the linker has gathered: `NT_GNU_PROPERTY_TYPE_0`.
package struct NoteProperty {
  package let type: UInt32
  /// readelf's name without `GNU_PROPERTY_`; nil if it has none here.
  package let name: String?
  /// The bytes as one number; nil if they are more than a word, or none.
  package let value: UInt64?
  /// The bits of the value, if it is a set: a bit without a name as a number.
  package let flags: [String]?

  /// The properties of a note; nil if they contradict themselves.
  static func all(in words: Words, _ range: Range<Int>, _ machine: Machine) -> [NoteProperty]? {
    let word = words.elfClass.addressSize
    var properties: [NoteProperty] = []
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      let type = words.word32(at: position)
      let size = Int(words.word32(at: position + 4))
      guard size <= range.upperBound - position - 8 else { return nil }
      let value: UInt64? =
        switch size {
        case 4: UInt64(words.word32(at: position + 8))
        case word: words.word(at: position + 8)
        default: nil
        }
      properties.append(NoteProperty(type, value, machine))
      position += (8 + size + word - 1) & ~(word - 1)
    }
    return properties
  }

  /// The file asks for its pages to be sealed. The corresponding constant is
  /// `GNU_PROPERTY_MEMORY_SEAL`.
  static var memorySeal: UInt32 { 3 }

  private init(_ type: UInt32, _ value: UInt64?, _ machine: Machine) {
    self.type = type
    self.value = value
    let x86 = machine == .amd64 || machine == .i386
    let levels = ["x86-64-baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
    let features = [
      "x86", "x87", "MMX", "XMM", "YMM", "ZMM", "FXSR", "XSAVE", "XSAVEOPT", "XSAVEC", "TMM",
      "MASK",
    ]
    let (name, bits): (String?, [String]?) =
      switch (type, machine) {
      case (1, _): ("STACK_SIZE", nil)
      case (2, _): ("NO_COPY_ON_PROTECTED", nil)
      case (Self.memorySeal, _): ("MEMORY_SEAL", nil)
      case (0xb000_8000, _): ("1_NEEDED", ["INDIRECT_EXTERN_ACCESS"])
      case (0xc000_0000, .aarch64): ("AARCH64_FEATURE_1_AND", ["BTI", "PAC", "GCS"])
      case (0xc000_0000, .riscv): ("RISCV_FEATURE_1_AND", ["CFI_LP_UNLABELED", "CFI_SS"])
      case (0xc000_0002, _) where x86:
        ("X86_FEATURE_1_AND", ["IBT", "SHSTK", "LAM_U48", "LAM_U57"])
      case (0xc000_8001, _) where x86: ("X86_FEATURE_2_NEEDED", features)
      case (0xc000_8002, _) where x86: ("X86_ISA_1_NEEDED", levels)
      case (0xc001_0001, _) where x86: ("X86_FEATURE_2_USED", features)
      case (0xc001_0002, _) where x86: ("X86_ISA_1_USED", levels)
      default: (nil, nil)
      }
    self.name = name
    flags = bits.map { bits in
      (0..<64).filter { (value ?? 0) >> UInt64($0) & 1 != 0 }.map { bit in
        bit < bits.count ? bits[bit] : hexadecimal(UInt64(1) << UInt64(bit))
      }
    }
  }
}
