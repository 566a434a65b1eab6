import Glibc
import RebindFiles

/// The memory of a process. The corresponding file is `/proc/PID/mem`.
final class ProcessMemory {
  private let descriptor: Int32

  init(pid: Int32) throws(ELFFileError) {
    let path = "/proc/\(pid)/mem"
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ProcessStatus.failure(errno, of: pid, at: path)
    }
  }

  deinit { close(descriptor) }

  /// The bytes at an address; nil if not all of them are there.
  func read(_ address: UInt64, _ count: UInt64) -> [UInt8]? {
    guard count <= ELFReader.largestTable, hasEnd(of: count, at: address) else { return nil }
    let wanted = Int(count)
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, done in
      done = read(address, into: UnsafeMutableRawBufferPointer(buffer)) ? wanted : 0
    }
    return bytes.count == wanted ? bytes : nil
  }

  /// False if the last of many bytes is not there: headers can state any number, for which no room
  /// is made then.
  func hasEnd(of count: UInt64, at address: UInt64) -> Bool {
    if count <= 1 << 16 { return true }
    var last: UInt8 = 0
    return withUnsafeMutableBytes(of: &last) { read(address &+ (count - 1), into: $0) }
  }

  /// Fills the buffer from an address. False if not all of the bytes are there. The corresponding
  /// call is `pread`.
  func read(_ address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard let offset = Int64(exactly: address), buffer.count <= Int64.max - offset else {
      return false
    }
    var done = 0
    while done < buffer.count {
      let count = pread(
        descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, Int(offset) + done)
      if count <= 0 { return false }
      done += count
    }
    return true
  }

  /// The bytes from an address up to a zero byte, at most as long as a path; nil if none follows.
  func text(at address: UInt64) -> [UInt8]? {
    guard address != 0 else { return nil }
    var text: [UInt8] = []
    while text.count < 4096 {
      // No piece lies in two pages, the second of which might not be there.
      let place = address &+ UInt64(text.count)
      guard let piece = read(place, 256 - place % 256) else { return nil }
      text += piece.prefix { $0 != 0 }
      if piece.contains(0) { return text }
    }
    return nil
  }

  /// The word at an address; nil if it is not there.
  func word(at address: UInt64, _ elfClass: ELFClass) -> UInt64? {
    read(address, UInt64(elfClass.addressSize)).map { bytes in
      bytes.withUnsafeBytes {
        Words(bytes: $0, elfClass: elfClass, byteOrder: .host).word(at: 0)
      }
    }
  }
}
