#if os(Linux) && !REBIND_ELSEWHERE
/// A place for any value that a C function takes or returns. It has
/// `CREBIND_TESTING_SLOT_SIZE` bytes.
@usableFromInline
@frozen
struct ValueSlot: BitwiseCopyable {
  @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  @inlinable init() {}

  /// A type's size has been compared before a value gets here.
  @inlinable
  init<Value: BitwiseCopyable>(_ value: Value) {
    withUnsafeMutableBytes(of: &words) { $0.storeBytes(of: value, as: Value.self) }
  }

  @inlinable
  func value<Value: BitwiseCopyable>(as type: Value.Type) -> Value {
    withUnsafeBytes(of: words) { $0.loadUnaligned(as: type) }
  }
}
#endif
