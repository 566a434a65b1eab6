/// A pointer type of the standard library. A C function's argument or result can be an optional of
/// it.
public protocol CPointer: CValue {}

extension CPointer {
  public static var cType: CType { .pointer }
}

extension UnsafePointer: CValue, CPointer {}
extension UnsafeMutablePointer: CValue, CPointer {}
extension UnsafeRawPointer: CValue, CPointer {}
extension UnsafeMutableRawPointer: CValue, CPointer {}
extension OpaquePointer: CValue, CPointer {}

/// A pointer that may be NULL.
extension Optional: CValue where Wrapped: CPointer {
  public static var cType: CType { .pointer }
}
