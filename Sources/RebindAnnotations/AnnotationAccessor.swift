/// Answers a registry's ``AnnotationRequest``: stores the answer at the given address, or returns
/// false and leaves it alone.
///
/// A closure that captures nothing. It is called on any thread, and not before something asks.
///
/// The corresponding C type is `rebind_accessor`.
public typealias AnnotationAccessor =
  @convention(c) @Sendable (_ request: UInt32, _ result: UnsafeMutableRawPointer) -> Bool
