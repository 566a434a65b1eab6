#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Memory that a forked process shares with its parent, to leave some texts in. No
/// file descriptor is needed, which the child's body could run out of or close.
struct SharedMessage {
  private let memory: UnsafeMutableRawBufferPointer

  /// nil if there is no memory.
  init?() {
    let size = 1 << 16
    guard
      let address = mmap(
        nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
      address != MAP_FAILED
    else { return nil }
    memory = UnsafeMutableRawBufferPointer(start: address, count: size)
  }

  func unmap() { munmap(memory.baseAddress, memory.count) }

  /// Each text ends with a zero byte. What does not fit is left out.
  func write(_ texts: [String]) {
    var end = 0
    for text in texts {
      guard end + text.utf8.count < memory.count else { return }
      for byte in text.utf8 where byte != 0 {
        memory[end] = byte
        end += 1
      }
      end += 1
    }
    // The texts before an empty one at the end are told from the zeros behind them.
    memory[min(end, memory.count - 1)] = 1
  }

  /// Nothing if nothing has been written.
  func read() -> [String] {
    guard let end = memory.lastIndex(where: { $0 != 0 }) else { return [] }
    return memory[..<end].split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
