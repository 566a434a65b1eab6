#if os(Linux) && !REBIND_ELSEWHERE
/// An image lacks a section, or its contents are not of the expected kind.
public struct SectionError: Error, Sendable, Hashable {
  /// A kind of failure. Later versions may add some.
  ///
  /// Each constant down to ``brokenFile`` stands for a `crebind_status`; the others are of Swift alone.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `noSection`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name is empty or has a zero byte, or the stride does not suit the record.
    public static let invalidArgument = Code(rawValue: "invalidArgument")
    /// The image is not loaded any more.
    public static let noSuchImage = Code(rawValue: "noSuchImage")
    /// The image's dynamic table points outside of its segments.
    public static let brokenImage = Code(rawValue: "brokenImage")
    /// `mmap` gave no memory.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// Images kept being loaded or unloaded.
    public static let busy = Code(rawValue: "busy")
    /// The image has no section of that name.
    public static let noSection = Code(rawValue: "noSection")
    /// The section is in the file, but not part of what is loaded.
    public static let notLoaded = Code(rawValue: "notLoaded")
    /// The image carries no note of the section, and its file cannot be opened.
    public static let noFile = Code(rawValue: "noFile")
    /// The image carries no note of the section, and the file at its path is another one.
    public static let otherFile = Code(rawValue: "otherFile")
    /// The image carries no note of the section, and its file has no section headers.
    public static let noSectionHeaders = Code(rawValue: "noSectionHeaders")
    /// A header of the file points outside of the file or of the image.
    public static let brokenFile = Code(rawValue: "brokenFile")
    /// The section lies in no segment of the image that may be read.
    public static let notReadable = Code(rawValue: "notReadable")
    /// The address is no multiple of the record's alignment, or of a word's.
    public static let misaligned = Code(rawValue: "misaligned")
    /// The size is no multiple of the record's stride, or of a word.
    public static let wrongSize = Code(rawValue: "wrongSize")
    /// The section is aligned as a compiler aligns single records, with holes between them of
    /// unknown size.
    public static let unknownStride = Code(rawValue: "unknownStride")
    /// A pointer leads out of the image's segments.
    public static let pointerOutside = Code(rawValue: "pointerOutside")
    /// Only the loader can find a pointer's value: it leads to another image.
    public static let pointerUnresolved = Code(rawValue: "pointerUnresolved")
    /// A string goes on to the end of the section, or of the segment that it lies in.
    public static let unterminated = Code(rawValue: "unterminated")
    /// The file has another byte order than this machine.
    public static let otherByteOrder = Code(rawValue: "otherByteOrder")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public var code: Code
  /// The path of the image or file.
  public var image: String
  /// The section's name; empty for all sections.
  public var section: String
  /// The offset in the section, in bytes; nil if the whole section is concerned.
  public var offset: Int?
  /// The value concerned: a pointer, a size or an alignment; nil for none.
  public var value: UInt64?
  /// The `errno` of the system call that failed, or 0.
  public var systemError: Int32 = 0
}

extension SectionError: CustomStringConvertible {
  /// Where, what and why: `libfoo.so: names: at offset 8: the pointer 0x10 leads out of …`.
  public var description: String {
    var places = [image.isEmpty ? "the program" : image]
    if !section.isEmpty { places.append(section) }
    if let offset { places.append("at offset \(offset)") }
    return (places + [sentence]).joined(separator: ": ")
  }

  private var sentence: String {
    let number = value.map(String.init) ?? "?"
    switch code {
    case .invalidArgument:
      return "the name is empty or has a zero byte, or the stride does not suit the record"
    case .noSuchImage: return "the image is not loaded any more; look it up again with Image.all"
    case .notReadable: return "lies in no segment that may be read"
    case .misaligned: return "the address is no multiple of \(number)"
    case .wrongSize: return "\(number) bytes are left over at the end"
    case .unknownStride:
      return "is aligned to \(number) bytes, which is no divisor of the record's stride: pass "
        + "the stride"
    case .pointerOutside:
      return "the pointer \(value.map(hexadecimal) ?? "?") leads out of the image's segments"
    case .pointerUnresolved: return "the pointer leads to another image, which the loader finds"
    case .unterminated: return "the string has no end"
    case .otherByteOrder: return "the file has another byte order than this machine"
    default: return systemError == 0 ? reason : "\(reason) (\(systemErrorText))"
    }
  }
}
#endif
