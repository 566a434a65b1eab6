#if Commands

import CRebindRun
import FaultVocabulary
import Glibc

/// The file in memory that the counted processes write to. CRebindRun.h describes it.
struct SharedFile {
  static let mostRules = Int(CREBIND_RUN_RULES)

  private let descriptor: Int32
  private let bytes: UnsafeMutableRawPointer
  private let rules: [Rule]

  /// The work of the processes: `CREBIND_RUN_COUNTS` and its like.
  struct Tasks: OptionSet {
    var rawValue: UInt32
    static let counts = Tasks(rawValue: UInt32(CREBIND_RUN_COUNTS))
    static let awaits = Tasks(rawValue: UInt32(CREBIND_RUN_AWAITS))
    static let watches = Tasks(rawValue: UInt32(CREBIND_RUN_WATCHES))
  }

  init(_ tasks: Tasks, rules: [Rule]) throws(RunError) {
    let size = Int(CREBIND_RUN_SIZE)
    descriptor = createMemoryFile("rebind-run", 3)  // MFD_CLOEXEC, MFD_ALLOW_SEALING
    guard descriptor >= 0, Self.enlarge(descriptor, to: size),
      let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      bytes != MAP_FAILED
    else {
      let limit = errno == EFBIG ? ", see ulimit -f" : ""
      throw RunError("no shared memory: \(String(cString: strerror(errno)))\(limit)")
    }
    self.bytes = bytes
    self.rules = rules
    var head = crebind_run_head()
    head.magic = UInt64(CREBIND_RUN_MAGIC)
    head.tasks = tasks.rawValue
    head.ignores_children = RebindRun.ignoresChildren ? 1 : 0
    var writer = Writer(bytes: bytes, used: Int(CREBIND_RUN_REST_AT))
    var entries: [crebind_run_rule] = []
    for rule in rules {
      var entry = rule.entry
      entry.text = writer.text(rule.pattern)
      entry.images = rule.images.map { writer.text($0) } ?? 0
      entry.path = rule.path.map { writer.text($0) } ?? 0
      entries.append(entry)
    }
    (head.rules, head.rule_count) = writer.list(entries)
    if tasks != .counts {
      var functions: [crebind_run_function] = []
      for name in KnownFunction.names {
        functions.append(KnownFunction(name).entry(name: writer.text(name)))
      }
      (head.functions, head.function_count) = writer.list(functions)
    }
    head.used = UInt64(writer.used)
    bytes.storeBytes(of: head, as: crebind_run_head.self)
  }

  /// A limit on the sizes of files is meant for those of the program.
  private static func enlarge(_ descriptor: Int32, to size: Int) -> Bool {
    let limit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var former = rlimit()
    getrlimit(limit, &former)
    var most = rlimit(rlim_cur: former.rlim_max, rlim_max: former.rlim_max)
    setrlimit(limit, &most)
    let action = signal(SIGXFSZ, SIG_IGN)
    let succeeded = ftruncate(descriptor, size) == 0
    let error = errno
    signal(SIGXFSZ, action)
    setrlimit(limit, &former)
    errno = error
    return succeeded
  }

  /// Takes the file away. A sweep makes one for each run.
  func close() {
    munmap(bytes, Int(CREBIND_RUN_SIZE))
    Glibc.close(descriptor)
  }

  private struct Writer {
    let bytes: UnsafeMutableRawPointer
    var used: Int

    mutating func text(_ text: String) -> UInt32 {
      let place = used
      for byte in text.utf8 {
        bytes.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used += 1
      }
      used += 1
      return UInt32(place)
    }

    /// The place and the number.
    mutating func list<Entry: BitwiseCopyable>(_ entries: [Entry]) -> (UInt32, UInt32) {
      used = (used + 15) & ~15
      let place = used
      for entry in entries {
        bytes.storeBytes(of: entry, toByteOffset: used, as: Entry.self)
        used += MemoryLayout<Entry>.stride
      }
      used = (used + 15) & ~15
      return (UInt32(place), UInt32(entries.count))
    }
  }

  /// The variable that leads a process to the file, as long as this process is there.
  var variable: String { "\(CREBIND_RUN_VARIABLE)=/proc/\(getpid())/fd/\(descriptor)" }

  // MARK: - Reading

  private func text(at place: UInt32) -> String {
    String(cString: (bytes + Int(place)).assumingMemoryBound(to: CChar.self))
  }

  /// Whether a process still counts, once we have taken our own mapping away: the kernel refuses to seal a file against
  /// writing as long as somebody has it mapped. The numbers are F_ADD_SEALS and F_SEAL_WRITE.
  private var isMapped: Bool { fcntl(descriptor, 1033, 8) != 0 && errno == EBUSY }

  /// The rows in pages that were written. A look at the others would have the kernel make a thousand pages.
  private var writtenRows: [Int] {
    let start = Int(CREBIND_RUN_ROWS_AT), stride = MemoryLayout<crebind_run_row>.stride
    let end = start + Int(CREBIND_RUN_ROWS) * stride
    var rows: [Int] = []
    var place = start
    // The numbers are SEEK_DATA and SEEK_HOLE.
    while case let data = lseek(descriptor, place, 3), data >= 0, data < end {
      let hole = min(lseek(descriptor, data, 4), end)
      rows += (max(data, start) - start) / stride..<(hole - start) / stride
      place = hole
    }
    return rows
  }

  /// The calls of the program, which has ended. Nothing else can be read afterwards.
  func result() -> RunResult {
    let head = bytes.load(as: crebind_run_head.self)
    var calls: [Int: UInt64] = [:]
    let rows = (bytes + Int(CREBIND_RUN_ROWS_AT)).assumingMemoryBound(to: crebind_run_row.self)
    for row in writtenRows where rows[row].names != 0 { calls[row] = rows[row].calls }
    var place = head.last_table
    while place != 0 {
      let table = (bytes + Int(place)).assumingMemoryBound(to: crebind_run_table.self)
      let count = Int(table.pointee.cells)
      let cells = UnsafeRawPointer(table + 1).assumingMemoryBound(to: crebind_run_cell.self)
      let numbers = UnsafeRawPointer(cells + count).assumingMemoryBound(to: UInt32.self)
      for cell in 0..<count where cells[cell].key != 0 {
        calls[Int(numbers[cell]), default: 0] += cells[cell].calls
      }
      place = table.pointee.next
    }
    var result = RunResult(
      calls: calls.map { row, calls in
        let names = rows[row].names
        return RunResult.Row(
          function: function(at: UInt32(names >> 32)),
          image: String(text(at: UInt32(truncatingIfNeeded: names)).dropFirst()), calls: calls,
          error: error(at: UInt32(names >> 32)))
      },
      processes: Int(head.processes), notes: notes())
    munmap(bytes, Int(CREBIND_RUN_SIZE))
    if isMapped, head.tasks & Tasks.counts.rawValue != 0 {
      result.notes.append(
        "processes that the program has left go on, and their later calls are missing")
    }
    return result
  }

  private func parts(at place: UInt32) -> [String] {
    text(at: place).dropFirst().split(
      separator: "\n", maxSplits: 3, omittingEmptySubsequences: false
    ).map(String.init)
  }

  private func function(at place: UInt32) -> RunResult.Function {
    let parts = parts(at: place)
    return RunResult.Function(name: parts[0], version: parts[1], library: parts[2])
  }

  private func error(at place: UInt32) -> CInt? {
    parts(at: place).dropFirst(3).first.flatMap { CInt($0) }
  }

  private var entries: UnsafeBufferPointer<crebind_run_rule> {
    let head = bytes.load(as: crebind_run_head.self)
    return UnsafeBufferPointer(
      start: (bytes + Int(head.rules)).assumingMemoryBound(to: crebind_run_rule.self),
      count: Int(head.rule_count))
  }

  /// The calls that a rule's conditions hold for, and those that were struck.
  func calls(ofRule index: Int) -> (met: UInt64, struck: UInt64) {
    (entries[index].met, entries[index].struck)
  }

  /// The notes of a watched run.
  func watch() -> WatchedRun {
    let head = bytes.load(as: crebind_run_head.self)
    func frames(_ place: UInt32) -> [WatchedRun.Frame] {
      (place == 0 ? "" : text(at: place)).split(separator: "\n").map { line in
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return WatchedRun.Frame(
          image: parts.first ?? "", offset: parts.dropFirst().first ?? "",
          function: parts.dropFirst(2).first ?? "")
      }
    }
    return WatchedRun(
      strike: frames(head.strike), crash: frames(head.crash), badCloses: head.bad_closes,
      openAtEnd: head.open_at_end == 0
        ? nil : text(at: head.open_at_end).split(separator: "\n").map(String.init),
      hasLoaded: head.processes > 0)
  }

  /// Sentences about calls that the numbers leave out.
  func notes() -> [String] {
    let head = bytes.load(as: crebind_run_head.self)
    guard head.processes > 0 else {
      return ["the program did not load librebind-run.so: nothing was counted"]
    }
    var notes: [String] = []
    if head.failure != 0 {
      notes.append("a process was not counted: \(text(at: head.failure))")
    }
    let isCount = Tasks(rawValue: head.tasks).contains(.counts)
    for (entry, rule) in zip(entries, rules) {
      if let note = Self.note(of: entry, rule, isCount: isCount, text) { notes.append(note) }
    }
    if head.unseen_ends > 0 {
      notes.append("the ends of \(head.unseen_ends) calls were not seen: too many were under way")
    }
    if head.unhooked_functions > 0 {
      notes.append(
        "\(head.unhooked_functions) functions were not hooked: a process has room for 16384")
    }
    if head.lost_calls > 0 {
      notes.append("\(head.lost_calls) calls are missing: no room was left for their names")
    }
    return notes
  }
}

extension SharedFile {
  /// Why a rule reached nothing; nil if it did.
  private static func note(
    of entry: crebind_run_rule, _ rule: Rule, isCount: Bool, _ text: (UInt32) -> String
  ) -> String? {
    if entry.matches == 0 {
      let reason = entry.reason > 1 ? ": \(text(entry.reason))" : ""
      return "'\(rule.pattern)' matched nothing\(reason)"
    }
    if isCount || entry.struck > 0 { return nil }
    if entry.unusable == entry.matches {
      switch rule.effect {
      case _ where rule.path != nil: return "'\(rule.pattern)' has no path that is known"
      case .limits: return "'\(rule.pattern)' has no count that is known"
      default: return "no usual failure of '\(rule.pattern)' is known: write \(rule.pattern)=ERROR"
      }
    }
    if entry.met == 0 {
      let conditions =
        (rule.images.map { $0 == "*" ? "" : " from '\($0)'" } ?? "")
        + (rule.path.map { " with a path '\($0)'" } ?? "")
      return "'\(rule.pattern)' was never called\(conditions)"
    }
    return
      "'\(rule.pattern)' was called \(entry.met == 1 ? "once" : "\(entry.met) times"), and the first call to strike is number \(rule.calls.first)"
  }
}

extension KnownFunction {
  func entry(name: UInt32) -> crebind_run_function {
    var entry = crebind_run_function()
    entry.name = name
    if case .word(let result) = usualFailure(error: nil) { entry.result = result }
    entry.error = usualError ?? 0
    entry.returns_error = returnsErrorCode ? 1 : 0
    entry.closes = closesAnyway ? 1 : 0
    entry.is_null = returnsPointer ? 1 : 0
    entry.writes = writesToDescriptor ? 1 : 0
    entry.is_fcntl = self.name.hasPrefix("fcntl") ? 1 : 0
    entry.stream = Int8(streamArgument ?? -1)
    entry.count = Int8(countArgument ?? -1)
    entry.path = Int8(pathArgument ?? -1)
    return entry
  }
}

/// The notes that a watched run leaves beside its output.
struct WatchedRun {
  struct Frame: Hashable {
    var image: String
    /// In the image, in hexadecimal.
    var offset: String
    /// Empty if no dynamic symbol is there.
    var function: String
  }

  /// The frames of the first call that was struck, from its caller on, and those of the first crash.
  var strike, crash: [Frame]
  var badCloses: UInt64
  /// Numbers and paths; nil if the program did not come to the end of `exit`.
  var openAtEnd: [String]?
  var hasLoaded: Bool
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
    /// The error that these calls failed with, -1 for a failure without one; nil for all calls.
    var error: CInt?
  }

  var calls: [Row]
  var processes: Int
  var notes: [String]
}

/// The corresponding function of libc is `memfd_create`, which its module leaves out.
@_silgen_name("memfd_create")
func createMemoryFile(_ name: UnsafePointer<CChar>, _ flags: UInt32) -> Int32

#endif
