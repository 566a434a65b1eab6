#if os(Linux) && !REBIND_ELSEWHERE
/// An error in reading annotations.
public struct AnnotationError: Error, Sendable {
  /// A kind of failure. Later versions may add some.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `fault`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The images could not be looked at: `underlyingError` is a ``RebindError``.
    public static let images = Code(rawValue: "images")
    /// An image has bytes in its section that are no record: the `fault`.
    public static let fault = Code(rawValue: "fault")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// The bytes that are no record; nil but for `fault`.
  public let fault: AnnotationFault?
  /// The error behind this one; nil but for `images`.
  public let underlyingError: RebindError?
}

extension AnnotationError {
  static func images(_ error: RebindError) -> Self {
    Self(code: .images, fault: nil, underlyingError: error)
  }

  static func fault(_ fault: AnnotationFault) -> Self {
    Self(code: .fault, fault: fault, underlyingError: nil)
  }
}

extension AnnotationError: CustomStringConvertible {
  /// The failure, its place and cause, and a remedy.
  public var description: String {
    fault.map { "\($0); Annotation.readable has what is readable" } ?? underlyingError.map {
      "\($0)"
    } ?? code.rawValue
  }
}
#endif
