import CLibelf
import Rebind
import RebindFiles

/// The bytes of an image in the memory of a process. The offset of a byte is its distance from the
/// image's lowest address.
final class LoadedBytes: ELFBytes {
  let size: UInt64
  private let memory: ProcessMemory
  private let start: UInt64
  /// The chunks that were read: several tables end where their segment does, and so lie in one
  /// another.
  private var chunks: [(offset: UInt64, bytes: UnsafeMutableRawBufferPointer)] = []
  var failure: ELFFileError.Reason { .vanished }

  /// Creates a view of `size` bytes from a run-time address on.
  init(_ memory: ProcessMemory, at start: UInt64, size: UInt64) {
    self.memory = memory
    self.start = start
    self.size = size
  }

  deinit { for chunk in chunks { chunk.bytes.deallocate() } }

  /// A copy. The image is one of this machine, so its words are in the host's order.
  func chunk(at offset: UInt64, size: UInt64, as type: Elf_Type) -> UnsafeRawBufferPointer? {
    for known in chunks where offset >= known.offset {
      let (distance, count) = (offset - known.offset, UInt64(known.bytes.count))
      if distance < count, count - distance >= size {
        return UnsafeRawBufferPointer(
          rebasing: known.bytes[Int(distance)..<Int(distance) + Int(size)])
      }
    }
    guard memory.hasEnd(of: size, at: start &+ offset) else { return nil }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(size), alignment: 16)
    guard memory.read(start &+ offset, into: chunk) else {
      chunk.deallocate()
      return nil
    }
    chunks.append((offset, chunk))
    return UnsafeRawBufferPointer(chunk)
  }

  func decompress(section index: Int) -> DecompressedSection {
    .refused("a loaded image has no sections")
  }
}

extension ELFFile {
  /// An image as it is in memory: its tables are read there, and it has no sections.
  ///
  /// Addresses are link-time ones, but for those in words that the loader has relocated.
  package init(loaded image: ProcessImage) {
    let loads = image.segments.filter { $0.type == .load && !$0.addresses.isEmpty }
    let lowest = loads.reduce(UInt64.max) { min($0, $1.address) }
    let end = loads.reduce(UInt64(0)) { max($0, $1.addresses.upperBound) }
    let bytes = LoadedBytes(
      image.memory, at: image.elfClass.wrapped(lowest &+ image.loadBias),
      size: end > lowest ? end - lowest : 0)
    self.init(
      reader: ELFReader(
        loaded: bytes, image.path, image.elfClass, image.machine, image.type,
        loadBias: image.loadBias),
      segments: image.segments.map { segment in
        var segment = segment
        if segment.type == .load { segment.fileSize = segment.memorySize }
        segment.fileOffset = segment.address &- lowest
        if segment.address < lowest || segment.fileOffset > bytes.size { segment.fileSize = 0 }
        return segment
      })
  }
}
