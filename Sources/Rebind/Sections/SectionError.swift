/// An image lacks a section, or its contents are not of the expected kind.
public struct SectionError: Error, Sendable, Hashable {
  /// The kind of failure; those below 1000 correspond to `crebind_status`.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The name is empty or has a zero byte, or the stride does not suit the record.
    public static let invalidArgument = Code(rawValue: 1)
    /// The image is not loaded any more.
    public static let noSuchImage = Code(rawValue: 3)
    /// The image's dynamic table points outside of its segments.
    public static let brokenImage = Code(rawValue: 5)
    /// `mmap` gave no memory.
    public static let outOfMemory = Code(rawValue: 6)
    /// Images kept being loaded or unloaded.
    public static let busy = Code(rawValue: 8)
    /// The image has no section of that name.
    public static let noSection = Code(rawValue: 9)
    /// The section is in the file, but not part of what is loaded.
    public static let notLoaded = Code(rawValue: 10)
    /// The image carries no note of the section, and its file cannot be opened.
    public static let noFile = Code(rawValue: 11)
    /// The image carries no note of the section, and the file at its path is another one.
    public static let otherFile = Code(rawValue: 12)
    /// The image carries no note of the section, and its file has no section headers.
    public static let noSectionHeaders = Code(rawValue: 13)
    /// A header of the file points outside of the file or of the image.
    public static let brokenFile = Code(rawValue: 14)
    /// The section lies in no segment of the image that may be read.
    public static let notReadable = Code(rawValue: 1000)
    /// The address is no multiple of the record's alignment, or of a word's.
    public static let misaligned = Code(rawValue: 1001)
    /// The size is no multiple of the record's stride, or of a word.
    public static let wrongSize = Code(rawValue: 1002)
    /// The section is aligned as a compiler aligns single records, with holes between them of
    /// unknown size.
    public static let unknownStride = Code(rawValue: 1003)
    /// A pointer leads out of the image's segments.
    public static let pointerOutside = Code(rawValue: 1004)
    /// Only the loader can find a pointer's value: it leads to another image.
    public static let pointerUnresolved = Code(rawValue: 1005)
    /// A string goes on to the end of the section, or of the segment that it lies in.
    public static let unterminated = Code(rawValue: 1006)
    /// The file has another byte order than this machine.
    public static let otherByteOrder = Code(rawValue: 1007)
  }

  /// The kind of failure.
  public var code: Code
  /// The path of the image or file.
  public var image: String
  /// The section's name; empty if it is about all of them.
  public var section: String
  /// Where in the section, in bytes from its start; nil if it is about all of it.
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
