import RebindFiles

/// Reads the words of an image in memory, by their link-time addresses. It reads many words at a
/// time.
struct ProcessWords {
  private let image: ProcessImage
  private var start: UInt64 = 0
  private var bytes: [UInt8] = []

  init(_ image: ProcessImage) {
    self.image = image
  }

  /// Returns the word at an address; nil if no memory is there.
  mutating func word(at address: UInt64) -> UInt64? {
    let size = UInt64(image.elfClass.addressSize)
    let runtime = image.elfClass.wrapped(address &+ image.loadBias)
    if runtime < start || runtime - start + size > UInt64(bytes.count) {
      // A read ends with a page, because the whole page is there or nothing of it.
      let pages = Self.block - runtime % Self.page
      guard
        let block = image.memory.read(runtime, pages)
          ?? image.memory.read(runtime, max(size, Self.page - runtime % Self.page))
          ?? image.memory.read(runtime, size)
      else { return nil }
      (start, bytes) = (runtime, block)
    }
    let (elfClass, byteOrder) = (image.elfClass, image.byteOrder)
    return bytes.withUnsafeBytes { bytes in
      Words(bytes: bytes, elfClass: elfClass, byteOrder: byteOrder).word(at: Int(runtime - start))
    }
  }

  private static var page: UInt64 { 4096 }
  private static var block: UInt64 { 16 * page }
}
