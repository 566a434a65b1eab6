/// The question of a registry to an annotation's accessor.
///
/// An accessor that is written by hand answers with one of the functions here:
///
/// ```swift
/// final class MailService {
///   static let accessor: AnnotationAccessor = { request, result in
///     AnnotationRequest(rawValue: request).answer(with: MailService.self, at: result)
///   }
/// }
/// ```
///
/// The corresponding C type is `enum rebind_request`.
public struct AnnotationRequest: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: UInt32

  /// A request with a value in C, known or not.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A Swift type. The corresponding constant is `REBIND_REQUEST_TYPE`.
  public static var type: Self { Self(rawValue: 1) }
  /// A new instance. The corresponding constant is `REBIND_REQUEST_INSTANCE`.
  public static var instance: Self { Self(rawValue: 2) }
  /// A C pointer. The corresponding constant is `REBIND_REQUEST_POINTER`.
  public static var pointer: Self { Self(rawValue: 3) }
}

// The answers are stored where the registry has memory for them that is not initialized.
extension AnnotationRequest {
  /// Answers for a type: with the type.
  ///
  /// - Returns: False if something else was asked for.
  public func answer<Value>(
    with type: Value.Type, at result: UnsafeMutableRawPointer
  ) -> Bool {
    guard self == .type else { return false }
    result.initializeMemory(as: Any.Type.self, to: type)
    return true
  }

  /// Answers with a type that a registry can make instances of, or with a new instance, as
  /// requested.
  ///
  /// - Returns: False if something else was asked for.
  public func answer<Value: AnnotationCreatable>(
    with type: Value.Type, at result: UnsafeMutableRawPointer
  ) -> Bool {
    switch self {
    case .type: result.initializeMemory(as: Any.Type.self, to: type)
    case .instance: result.initializeMemory(as: Any.self, to: type.init())
    default: return false
    }
    return true
  }

  /// Answers for a factory: with what it makes.
  ///
  /// - Returns: False if something else was asked for.
  public func answer<Value>(
    creating create: () -> Value, at result: UnsafeMutableRawPointer
  ) -> Bool {
    guard self == .instance else { return false }
    result.initializeMemory(as: Any.self, to: create())
    return true
  }

  /// Answers for an object of C: with a pointer to it.
  ///
  /// - Returns: False if something else was asked for.
  public func answer(
    with pointer: UnsafeMutableRawPointer, at result: UnsafeMutableRawPointer
  ) -> Bool {
    guard self == .pointer else { return false }
    result.initializeMemory(as: UnsafeMutableRawPointer.self, to: pointer)
    return true
  }
}
