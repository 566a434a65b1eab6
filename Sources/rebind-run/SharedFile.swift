#if Commands

import CRebindRun
import Glibc

/// The file in memory that the counted processes write to. CRebindRun.h describes it.
struct SharedFile {
  static let mostPatterns = Int(CREBIND_RUN_PATTERNS)

  private let descriptor: Int32
  private let bytes: UnsafeMutableRawPointer

  init(patterns: [String]) throws(RunError) {
    let size = Int(CREBIND_RUN_SIZE)
    descriptor = createMemoryFile("rebind-run", 1)  // MFD_CLOEXEC
    guard descriptor >= 0, ftruncate(descriptor, size) == 0,
      let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      bytes != MAP_FAILED
    else { throw RunError("no shared memory: \(String(cString: strerror(errno)))") }
    self.bytes = bytes
    var used = Int(CREBIND_RUN_REST_AT)
    let list = used
    used += patterns.count * MemoryLayout<crebind_run_pattern>.stride
    for (index, pattern) in patterns.enumerated() {
      var entry = crebind_run_pattern()
      entry.text = UInt32(used)
      bytes.storeBytes(
        of: entry, toByteOffset: list + index * MemoryLayout<crebind_run_pattern>.stride,
        as: crebind_run_pattern.self)
      for byte in pattern.utf8 {
        bytes.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used += 1
      }
      used += 1
    }
    var head = crebind_run_head()
    head.magic = UInt64(CREBIND_RUN_MAGIC)
    head.used = UInt64((used + 15) & ~15)
    head.patterns = UInt32(list)
    head.pattern_count = UInt32(patterns.count)
    bytes.storeBytes(of: head, as: crebind_run_head.self)
  }

  /// The variable that leads a process to the file, as long as this process is there.
  var variable: String { "\(CREBIND_RUN_VARIABLE)=/proc/\(getpid())/fd/\(descriptor)" }

  // MARK: - Reading

  private func text(at place: UInt32) -> String {
    String(cString: (bytes + Int(place)).assumingMemoryBound(to: CChar.self))
  }

  /// The calls so far.
  func result() -> RunResult {
    let head = bytes.load(as: crebind_run_head.self)
    var calls: [Int: UInt64] = [:]
    let rows = (bytes + Int(CREBIND_RUN_ROWS_AT)).assumingMemoryBound(to: crebind_run_row.self)
    for row in 0..<Int(CREBIND_RUN_ROWS) where rows[row].names != 0 { calls[row] = rows[row].calls }
    var hasLiving = false
    var place = head.last_table
    while place != 0 {
      let table = (bytes + Int(place)).assumingMemoryBound(to: crebind_run_table.self)
      let count = Int(table.pointee.cells)
      let cells = UnsafeRawPointer(table + 1).assumingMemoryBound(to: crebind_run_cell.self)
      let numbers = UnsafeRawPointer(cells + count).assumingMemoryBound(to: UInt32.self)
      for cell in 0..<count where cells[cell].key != 0 {
        calls[Int(numbers[cell]), default: 0] += cells[cell].calls
      }
      let owner = table.pointee.owner
      if owner != 0, kill(pid_t(truncatingIfNeeded: owner), 0) == 0 { hasLiving = true }
      place = table.pointee.next
    }
    return RunResult(
      calls: calls.map { row, calls in
        let names = rows[row].names
        return RunResult.Row(
          function: function(at: UInt32(names >> 32)),
          image: String(text(at: UInt32(truncatingIfNeeded: names)).dropFirst()), calls: calls)
      },
      processes: Int(head.processes), notes: notes(head, hasLiving: hasLiving))
  }

  private func function(at place: UInt32) -> RunResult.Function {
    let parts = text(at: place).dropFirst().split(
      separator: "\n", maxSplits: 2, omittingEmptySubsequences: false
    ).map(String.init)
    return RunResult.Function(name: parts[0], version: parts[1], library: parts[2])
  }

  /// Sentences about calls that the numbers leave out.
  private func notes(_ head: crebind_run_head, hasLiving: Bool) -> [String] {
    guard head.processes > 0 else {
      return ["the program did not load librebind-run.so: nothing was counted"]
    }
    var notes: [String] = []
    if head.failure != 0 {
      notes.append("a process was not counted: \(text(at: head.failure))")
    }
    let patterns = (bytes + Int(head.patterns)).assumingMemoryBound(to: crebind_run_pattern.self)
    for index in 0..<Int(head.pattern_count) where patterns[index].matches == 0 {
      let reason = patterns[index].reason
      notes.append(
        "'\(text(at: patterns[index].text))' matched nothing"
          + (reason > 1 ? ": \(text(at: reason))" : ""))
    }
    if head.unhooked_functions > 0 {
      notes.append(
        "\(head.unhooked_functions) functions were not hooked: a process has room for 16384")
    }
    if head.lost_calls > 0 {
      notes.append("\(head.lost_calls) calls are missing: no room was left for their names")
    }
    if hasLiving {
      notes.append("processes that the program has left go on, and their later calls are missing")
    }
    return notes
  }
}

/// The calls of all processes.
struct RunResult {
  struct Function: Hashable {
    var name: String
    /// Empty for none.
    var version: String
    /// The path of the image that defines it.
    var library: String
  }

  struct Row {
    var function: Function
    /// The path of the calling image; empty for code in no image.
    var image: String
    var calls: UInt64
  }

  var calls: [Row]
  var processes: Int
  var notes: [String]
}

/// The corresponding function of libc is `memfd_create`, which its module leaves out.
@_silgen_name("memfd_create")
private func createMemoryFile(_ name: UnsafePointer<CChar>, _ flags: UInt32) -> Int32

#endif
