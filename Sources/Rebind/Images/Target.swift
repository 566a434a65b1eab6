#if os(Linux) && !REBIND_ELSEWHERE
/// The image and symbol that contain an address, and the distance from the symbol.
///
/// The corresponding C type is `Dl_info`, of `dladdr`.
public struct Target: Sendable, Hashable {
  /// The run-time address.
  public var address: UInt64
  /// nil for memory of no image, such as a closure made at run time.
  public var image: Image?
  /// The exported symbol of the image that covers the address; nil if no exported symbol covers it.
  public var symbol: String?
  /// The distance in bytes from the symbol, or without one from the image's ELF
  /// header; 0 without an image.
  public var offset: UInt64 = 0
}

extension Target {
  /// The target of an address of this process.
  ///
  /// - Throws: `RebindError` with the code `outOfMemory` or `busy`.
  /// - Complexity: O(symbols of the image).
  ///
  /// The corresponding C function is `crebind_describe_address`.
  public static func at(
    _ address: some UnsignedInteger & FixedWidthInteger
  ) throws(RebindError) -> Target {
    try describeAddress(UInt64(truncatingIfNeeded: address))
  }

  /// The function that a lookup of `name` in the global scope would find now without
  /// our own rebindings; nil if nothing defines it.
  ///
  /// - Throws: The same errors as `at(_:)`.
  ///
  /// The corresponding C function is `crebind_lookup`.
  public static func lookup(_ name: String) throws(RebindError) -> Target? {
    let address = originalAddress(of: name)
    return address == 0 ? nil : try describeAddress(address)
  }
}

extension Target: CustomStringConvertible {
  /// `open in libc.so.6`, `open+0x10 in libc.so.6`, `libfoo.so+0x1234`, `0x7f…`.
  public var description: String {
    guard let image else { return hexadecimal(address) }
    let distance = offset == 0 ? "" : "+\(hexadecimal(offset))"
    guard let symbol else { return image.name + distance }
    return "\(symbol)\(distance) in \(image.name)"
  }
}
#endif
