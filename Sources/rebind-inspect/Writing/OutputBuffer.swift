#if Commands

import Glibc
import RebindFiles

/// Output that is collected in one large buffer and written in large pieces.
///
/// Room is made once for several short pieces, by `reserve`; appending them is then a store each.
/// One of several threads' goes to a collector instead, which sees to the order.
///
/// A failed write to standard output ends the program, for nothing that follows could be shown;
/// one to standard error is passed over, for the files that follow still can.
struct OutputBuffer: ~Copyable {
  private let descriptor: Int32
  private let collector: OutputCollector?
  /// Nil if lines are not broken.
  private var wrapper: LineWrapper?
  /// True if lines are broken, here or behind a collector, and not in a name.
  let isWrapped: Bool
  /// The bytes that were flushed, where they are kept and written nowhere.
  private var kept: [UInt8]?
  /// True once something was appended that depends on what is in front of it.
  var isBegun: Bool
  private let start: UnsafeMutablePointer<UInt8>
  private let end: UnsafeMutablePointer<UInt8>
  /// Where the next byte goes.
  private(set) var next: UnsafeMutablePointer<UInt8>

  /// - Parameter wrapper: Breaks the lines that are too wide; nil leaves them.
  init(descriptor: Int32, isBegun: Bool = false, wrapper: LineWrapper? = nil) {
    self.init(descriptor, nil, isBegun: isBegun, wrapper, isWrapped: wrapper != nil)
  }

  /// - Parameter isWrapped: Whether the collected lines are broken in the end.
  init(to collector: OutputCollector, isWrapped: Bool) {
    self.init(-1, collector, isBegun: false, nil, isWrapped: isWrapped)
  }

  /// The bytes that `body` appends.
  ///
  /// - Parameter isWrapped: Whether they go into a line that is broken.
  static func bytes(isWrapped: Bool = false, _ body: (inout OutputBuffer) -> Void) -> [UInt8] {
    var output = OutputBuffer(-1, nil, isBegun: false, nil, isWrapped: isWrapped, capacity: 1 << 12)
    output.kept = []
    body(&output)
    output.flush()
    return output.kept ?? []
  }

  private init(
    _ descriptor: Int32, _ collector: OutputCollector?, isBegun: Bool, _ wrapper: LineWrapper?,
    isWrapped: Bool, capacity: Int = 1 << 16
  ) {
    self.descriptor = descriptor
    self.collector = collector
    self.isBegun = isBegun
    self.wrapper = wrapper
    self.isWrapped = isWrapped
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

  /// How many bytes it has room for.
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

  /// Appends a text if nothing was appended this way before, and else another one: what separates
  /// the inputs, or is above the first.
  mutating func append(first: String, others: String) {
    if let collector {
      flush()
      return collector.append(.start(first: first, others: others))
    }
    append(text: isBegun ? others : first)
    isBegun = true
  }

  /// Writes a line on standard error, behind what was appended: both streams may be one terminal.
  mutating func report(_ path: FilePath, _ message: String) {
    flush()
    if let collector { return collector.append(.diagnostic(path, message)) }
    Diagnostics.report(path, message)
  }

  /// Writes what was collected.
  mutating func flush() {
    if kept != nil {
      kept?.append(contentsOf: UnsafeBufferPointer(start: start, count: next - start))
      next = start
      return
    }
    if let collector {
      if next > start {
        collector.append(.bytes(Array(UnsafeBufferPointer(start: start, count: next - start))))
      }
      next = start
      return
    }
    let bytes = UnsafeBufferPointer(start: start, count: next - start)
    if let wrapped = wrapper?.wrap(bytes) {
      wrapped.withUnsafeBufferPointer { write($0) }
    } else {
      write(bytes)
    }
    next = start
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard var rest = bytes.baseAddress else { return }
    let end = rest + bytes.count
    while rest < end {
      let written = Glibc.write(descriptor, rest, end - rest)
      if written > 0 {
        rest += written
      } else if errno != EINTR {
        if descriptor == STDERR_FILENO { break }
        Diagnostics.exitAfterFailedWrite(errno)
      }
    }
  }

  /// Writes what was collected, and closes the descriptor: some file systems tell only then that
  /// the disk is full.
  mutating func finish() {
    flush()
    if let rest = wrapper?.takeRest() { rest.withUnsafeBufferPointer { write($0) } }
    if close(descriptor) != 0 { Diagnostics.exitAfterFailedWrite(errno) }
  }
}

#endif
