#if os(Linux) && !REBIND_ELSEWHERE
extension SectionData {
  /// The contents as records of one layout, such as a C structure or a tuple of integers.
  ///
  /// Every pattern of bits has to be a value of the type: integers, floating-point numbers
  /// and pointers are right, `Bool` and enumerations are not.
  ///
  /// The last record may have the type's size, without the padding up to its stride: Swift stores
  /// tuples so.
  ///
  /// Compilers align separately declared records more than their type: gcc aligns records
  /// of 32 bytes and more to 32. Then state the stride: 64 for a structure of 40 bytes.
  /// Better, have the structure say so, by `__attribute__((aligned(8)))` at each
  /// variable.
  ///
  /// - Parameters:
  ///   - type: The records' type.
  ///   - stride: How far the records are apart, in bytes; nil for the type's stride.
  /// - Throws: `SectionError` with the code `misaligned`, `wrongSize`, `unknownStride`,
  ///   `invalidArgument` or `otherByteOrder`.
  /// - Complexity: O(count).
  public func records<Record: BitwiseCopyable>(
    of type: Record.Type = Record.self, stride: Int? = nil
  ) throws(SectionError) -> [Record] {
    let size = MemoryLayout<Record>.size
    let alignment = MemoryLayout<Record>.alignment
    let distance = stride ?? MemoryLayout<Record>.stride
    guard size > 0, distance >= size, distance % alignment == 0 else {
      throw error(.invalidArgument)
    }
    guard !memory.isByteSwapped else { throw error(.otherByteOrder) }
    guard address % UInt64(alignment) == 0 else {
      throw error(.misaligned, value: UInt64(alignment))
    }
    // A record of less is aligned to no more than its stride.
    if stride == nil, section.alignment >= 32, distance >= 32, count > distance,
      UInt64(distance) % section.alignment != 0
    {
      throw error(.unknownStride, value: section.alignment)
    }
    let rest = count % distance
    guard rest == 0 || rest == size else {
      throw error(.wrongSize, at: count - rest, value: UInt64(rest))
    }
    return withBytes { span in
      Swift.stride(from: 0, to: span.byteCount, by: distance).map {
        span.unsafeLoadUnaligned(fromByteOffset: $0, as: Record.self)
      }
    }
  }
}
#endif
