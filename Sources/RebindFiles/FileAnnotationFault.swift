internal import CRebind

/// Bytes of the section of annotations that are no record.
public struct FileAnnotationFault: Sendable, Hashable {
  /// What is wrong. The corresponding C type is `crebind_record_fault`.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is no magic where a record has to start.
    public static let noMagic = Self(rawValue: 1)
    /// A version that is not known here.
    public static let version = Self(rawValue: 2)
    /// The size is too small, or no multiple of a word.
    public static let size = Self(rawValue: 3)
    /// The section ends before the record does.
    public static let truncated = Self(rawValue: 4)
    /// A string has no zero byte at its end, or there is something behind the last one.
    public static let strings = Self(rawValue: 5)
    /// A string is not UTF-8.
    public static let encoding = Self(rawValue: 6)
    /// The group or the key is empty.
    public static let empty = Self(rawValue: 7)
    /// The accessor does not lie in an executable segment.
    public static let accessor = Self(rawValue: 8)

    /// A word for programs; nil if it has none.
    public var name: String? {
      switch self {
      case .noMagic: "no-magic"
      case .version: "version"
      case .size: "size"
      case .truncated: "truncated"
      case .strings: "strings"
      case .encoding: "encoding"
      case .empty: "empty"
      case .accessor: "accessor"
      default: nil
      }
    }
  }

  /// What is wrong.
  public var code: Code
  /// Where that is, in bytes from the section's start.
  public var offset: Int
  /// How many bytes were passed over.
  public var size: Int

  /// Describes a fault.
  public init(code: Code, offset: Int, size: Int) {
    self.code = code
    self.offset = offset
    self.size = size
  }

  /// The fault as a sentence.
  public var message: String {
    String(
      cString: crebind_record_fault_description(crebind_record_fault(rawValue: code.rawValue)))
  }
}

extension FileAnnotationFault: CustomStringConvertible {
  /// `at offset 0x40 of rebind_annotations: …`.
  public var description: String {
    "at offset 0x\(String(offset, radix: 16)) of rebind_annotations: \(message)"
  }
}
