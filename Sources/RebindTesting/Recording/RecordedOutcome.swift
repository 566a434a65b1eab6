#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// The result of a recorded call, in the registers for results.
struct RecordedOutcome {
  /// The result register of integers and pointers.
  let word: UInt64
  /// The lower half of the result register of floating-point numbers.
  let number: UInt64
  let errno: CInt

  /// The result of a type; nil for a structure.
  func value<Value: CValue & BitwiseCopyable>(as type: Value.Type) -> Value? {
    let codes = type.cType.codes
    guard codes.count == 1 else { return nil }
    let kind = crebind_testing_type(rawValue: codes[0])
    let isNumber = kind == CREBIND_TESTING_FLOAT || kind == CREBIND_TESTING_DOUBLE
    // The value is in the lower bytes: both machines are little-endian.
    return withUnsafeBytes(of: isNumber ? number : word) { $0.loadUnaligned(as: type) }
  }
}
#endif
