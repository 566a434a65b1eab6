/// Words of a file or a process, of its class and in its byte order.
package struct Words {
  package let bytes: UnsafeRawBufferPointer
  package let elfClass: ELFClass
  package let byteOrder: ByteOrder

  package init(bytes: UnsafeRawBufferPointer, elfClass: ELFClass, byteOrder: ByteOrder) {
    self.bytes = bytes
    self.elfClass = elfClass
    self.byteOrder = byteOrder
  }

  /// The number at a position that the caller has checked.
  package func word32(at position: Int) -> UInt32 {
    let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    return byteOrder == .host ? word : word.byteSwapped
  }

  /// The word of an address's size at a position that the caller has checked.
  package func word(at position: Int) -> UInt64 {
    guard elfClass == .bits64 else { return UInt64(word32(at: position)) }
    let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    return byteOrder == .host ? word : word.byteSwapped
  }

  /// The address that a distance at a position leads to, from an address and an offset.
  func address(_ base: UInt64, plus offset: Int, at position: Int) -> UInt64 {
    elfClass.wrapped(base &+ UInt64(offset) &+ word(at: position))
  }
}

extension ELFClass {
  /// A sum of addresses, as wide as they are.
  package func wrapped(_ address: UInt64) -> UInt64 {
    self == .bits64 ? address : address & 0xffff_ffff
  }
}
