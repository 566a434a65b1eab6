/// Answers what a registry asks of an annotation, an ``AnnotationRequest``: stores the answer at the
/// address that is given, or is false and leaves it alone.
///
/// A closure that captures nothing. It is called on any thread, and not before something asks.
///
/// The corresponding C type is `rebind_accessor`.
public typealias AnnotationAccessor =
  @convention(c) @Sendable (_ request: UInt32, _ result: UnsafeMutableRawPointer) -> Bool
