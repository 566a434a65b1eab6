public import Foundation

extension Data {
  /// The same ELF file without section headers, as `sstrip` leaves it.
  public func withoutSectionHeaders() -> Data {
    let is64 = self[4] == 2
    var copy = self
    // e_shoff, and e_shentsize, e_shnum, e_shstrndx: zero is zero in both byte orders.
    copy.resetBytes(in: is64 ? 0x28..<0x30 : 0x20..<0x24)
    copy.resetBytes(in: is64 ? 0x3a..<0x40 : 0x2e..<0x34)
    return copy
  }
}
