import Glibc

/// Output that is collected in one large buffer and written in large pieces.
///
/// Room is made once for several short pieces, by `reserve`; appending them is then a store each.
/// A failed write to standard output ends the program, for nothing that follows could be shown;
/// one to standard error is passed over, for the files that follow still can.
struct OutputBuffer: ~Copyable {
  private let descriptor: Int32
  private let start: UnsafeMutablePointer<UInt8>
  private let end: UnsafeMutablePointer<UInt8>
  /// Where the next byte goes.
  private(set) var next: UnsafeMutablePointer<UInt8>

  init(descriptor: Int32) {
    let capacity = 1 << 16
    self.descriptor = descriptor
    start = .allocate(capacity: capacity)
    next = start
    end = start + capacity
  }

  deinit { start.deallocate() }

  /// Makes room for `count` bytes, at most a few hundred.
  @inline(__always)
  mutating func reserve(_ count: Int) {
    if end - next < count { flush() }
  }

  /// Appends `count` bytes, which `fill` writes. The caller has reserved them.
  @inline(__always)
  mutating func append(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    assert(count <= end - next)
    fill(next)
    next += count
  }

  /// How many bytes there is room for.
  var room: Int { end - next }

  /// Appends a byte. The caller has reserved it.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    append(count: 1) { $0.pointee = byte }
  }

  /// Appends a text. The caller has reserved its bytes.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(count: text.utf8CodeUnitCount) {
      $0.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    }
  }

  /// Writes what was collected.
  mutating func flush() {
    var rest = start
    while rest < next {
      let written = write(descriptor, rest, next - rest)
      if written > 0 {
        rest += written
      } else if errno != EINTR {
        if descriptor == STDERR_FILENO { break }
        Diagnostics.exitAfterFailedWrite(errno)
      }
    }
    next = start
  }

  /// Writes what was collected, and closes the descriptor: some file systems tell only then that
  /// the disk is full.
  mutating func finish() {
    flush()
    if close(descriptor) != 0 { Diagnostics.exitAfterFailedWrite(errno) }
  }
}
