#if os(Linux) && !REBIND_ELSEWHERE
/// A number as addresses are written.
package func hexadecimal(_ value: some BinaryInteger) -> String {
  "0x" + String(value, radix: 16)
}
#endif
