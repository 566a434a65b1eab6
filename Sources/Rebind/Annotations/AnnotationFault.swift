#if os(Linux) && !REBIND_ELSEWHERE
/// Bytes of the section `rebind_annotations` that are no record.
///
/// The corresponding C type is `crebind_record`.
public struct AnnotationFault: Sendable, Hashable {
  /// Why the bytes are no record.
  ///
  /// The corresponding C type is `crebind_record_fault`.
  public struct Reason: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The magic is missing where a record has to start.
    public static let noMagic = Self(rawValue: 1)
    /// A version that this copy of Rebind does not know.
    public static let version = Self(rawValue: 2)
    /// The size is too small, or no multiple of a word.
    public static let size = Self(rawValue: 3)
    /// The section ends before the record does.
    public static let truncated = Self(rawValue: 4)
    /// A string has no zero byte at its end, or bytes follow the last one.
    public static let strings = Self(rawValue: 5)
    /// A string is not UTF-8.
    public static let encoding = Self(rawValue: 6)
    /// The group or the key is empty.
    public static let empty = Self(rawValue: 7)
    /// The accessor does not lie in an executable segment of the image.
    public static let accessor = Self(rawValue: 8)
  }

  /// The image that carries them.
  public var image: Image
  /// The section's name.
  public var section: String
  /// Where they are: in bytes from the section's start.
  public var offset: Int
  /// The reason why they are no record.
  public var reason: Reason
}

extension AnnotationFault {
  package init(image: Image, offset: Int, reason: Reason) {
    self.init(image: image, section: "rebind_annotations", offset: offset, reason: reason)
  }
}

extension AnnotationFault: CustomStringConvertible {
  /// `/lib/libmail.so: rebind_annotations: at offset 48: …`.
  public var description: String {
    "\(image.path): \(section): at offset \(offset): \(reason)"
  }
}

extension AnnotationFault.Reason: CustomStringConvertible {
  /// The core's sentence for the reason.
  public var description: String { sentence }
}
#endif
