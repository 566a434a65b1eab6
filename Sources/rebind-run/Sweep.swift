#if Commands

import FaultVocabulary
import Glibc

/// A sweep: the runs of a program, one for each call that fails, and what they find.
final class Sweep {
  private let program: [String]
  private let rules: [Rule]
  private let limit: UInt64
  private let jobs: Int
  private let stopsAtFirst: Bool
  private var setting: SweepProcess.Setting
  private var folders: [ScratchFolder] = []
  private var log: SweepLog?
  private var progress = SweepProgress()
  private let signals: sigset_t
  /// Where each finding's key stands in `findings`.
  private var places: [String: Int] = [:]
  private var findings: [(finding: Finding, command: String, runs: Int)] = []
  /// Runs in which the program did not come to the call.
  private var unreached = 0
  private var (done, total) = (0, 0)

  /// A run, by the index of the rule and the number of the call that fails.
  struct Run: Hashable {
    var rule: Int
    var call: UInt64
  }

  /// - Parameter timeout: In nanoseconds.
  init(
    _ program: [String], _ executable: Executable, _ rules: [Rule], limit: UInt64, timeout: UInt64,
    jobs: Int, stopsAtFirst: Bool, scratch: String?, log: String?
  ) throws(RunError) {
    (self.program, self.rules, self.limit) = (program, rules, limit)
    (self.jobs, self.stopsAtFirst) = (jobs, stopsAtFirst)
    setting = SweepProcess.Setting(
      path: executable.absolutePath, library: try PreloadedLibrary.path(), timeout: timeout,
      input: try Self.input(), ignoresPipes: RebindRun.ignores(SIGPIPE, from: SIG_IGN))
    self.log = try log.map { path throws(RunError) in
      var words = [String(cString: getcwd(nil, 0))]
      if let images = rules[0].images { words += ["--in", images] }
      if let path = rules[0].path { words += ["--when", "path=\(path)"] }
      return try SweepLog(path, words: words + rules.map(\.words) + ["--"] + program)
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    sigprocmask(SIG_BLOCK, &signals, nil)
    self.signals = signals
    // Processes that leave their session become our children.
    _ = setProcessOption(36, 1, 0, 0, 0)  // PR_SET_CHILD_SUBREAPER
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    let source = try ScratchFolder.source(scratch, without: log)
    for _ in 0..<jobs { folders.append(try ScratchFolder(of: source)) }
  }

  /// A pattern that matches this path alone.
  static func pattern(of path: String) -> String {
    String(path.flatMap { "*?[\\".contains($0) ? ["\\", $0] : [$0] })
  }

  /// Runs all; true if something was found.
  func run() throws(RunError) -> Bool {
    defer { for folder in folders { folder.remove() } }
    let (bare, isStable, runs) = try runWithoutFailures()
    if isStable { try fillDisk(bare) }
    let wanted = Set(runs)
    let known = (log?.known ?? []).filter { wanted.contains($0.run) }
    (done, total) = (known.count, runs.count)
    progress.begin(total - done)
    for (run, finding) in known { note(finding, run) }
    let isDone = Set(known.map(\.run))
    try runAll(runs.filter { !isDone.contains($0) }) { run, outcome in
      if outcome.calls[0].struck == 0 { unreached += 1 }
      let finding =
        outcome.calls[0].struck == 0 ? nil : Finding(outcome, bare: bare, isStable: isStable)
      log?.append(run, finding)
      note(finding, run)
      done += 1
      progress.step(findings: findings.count)
      return finding == nil || !stopsAtFirst
    }
    progress.end()
    printFindings()
    return !findings.isEmpty
  }

  // MARK: - Runs without a failure

  /// The calls of each rule are counted, once as the rule has it, and once from all images.
  private func runWithoutFailures() throws(RunError) -> (SweepOutcome, isStable: Bool, [Run]) {
    let counting = rules.map { rule in
      var rule = rule
      rule.calls = Rule.Calls(first: .max)
      return rule
    }
    let fromAll = counting.map { rule in
      var rule = rule
      rule.images = nil
      return rule
    }
    var outcomes: [SweepOutcome] = []
    // At the same time, in folders of their own as the other runs: a program may print their paths.
    let bareRuns = [Run](repeating: Run(rule: 0, call: 0), count: 3)
    try runAll(bareRuns, with: counting + fromAll) { _, outcome in
      outcomes.append(outcome)
      return true
    }
    guard outcomes.allSatisfy({ !$0.hasTimedOut }) else {
      throw RunError("\(program[0]) does not end in time by itself: see --timeout")
    }
    let bare = outcomes[0]
    guard bare.watch.hasLoaded else {
      throw RunError("\(program[0]) did not load librebind-run.so: nothing can fail")
    }
    let isStable = outcomes.allSatisfy { $0.status == bare.status && $0.hasOutput(of: bare) }
    if !isStable {
      say("the output is not the same in each run: it is not compared")
    }
    if let signal = bare.signal {
      let place = bare.watch.crash.first.map { " at \($0.words)" } ?? ""
      say(
        "without a failure the program is ended by \(signalName(signal))\(place): its output and messages are not compared"
      )
    } else if let status = bare.exitStatus, status != 0 {
      let message = Finding.lines(bare.errorOutput).first.map(printable) ?? ""
      say(
        "without a failure the program exits with \(status)\(message.isEmpty ? "" : ": ")\(message)"
      )
    }
    var runs: [Run] = []
    for (index, rule) in rules.enumerated() {
      let calls = outcomes.map { $0.calls[index].met }.max() ?? 0
      let others = outcomes.map { $0.calls[index + rules.count].met }.max() ?? 0
      if calls == 0 {
        let notes = bare.notes.filter { $0.contains("'\(rule.pattern)'") }
        say(
          others > 0
            ? "'\(rule.pattern)': \(others) calls, but none from \(rule.images ?? "*"): see --in"
            : notes.first ?? "'\(rule.pattern)' was never called")
      } else if calls > limit {
        say(
          "'\(rule.pattern)': \(calls) calls, of which the first \(limit) are to fail: see --limit")
      }
      for call in 0..<min(calls, limit) { runs.append(Run(rule: index, call: call + 1)) }
    }
    return (bare, isStable, runs)
  }

  /// A call that libc makes for printf or puts goes through no slot. So a sweep of write has one run more: with standard
  /// output on a full disk.
  private func fillDisk(_ bare: SweepOutcome) throws(RunError) {
    guard let status = bare.exitStatus, !bare.output.isEmpty,
      rules.contains(where: { KnownFunction(String($0.function)).usualError == ENOSPC })
    else { return }
    var full = setting
    full.output = "/dev/full"
    try runAll([Run(rule: 0, call: .max)], in: full) { run, outcome in
      if outcome.exitStatus == status, outcome.errorOutput == bare.errorOutput {
        let command = program.map(shellWord).joined(separator: " ")
        add(
          Finding(
            kind: .lostOutput, detail: "standard output is a full disk, and it says nothing",
            strike: [], crash: []), "\(command) >/dev/full")
      }
      return true
    }
  }

  // MARK: - Running

  /// Runs all, `jobs` at a time, until `body` says that it is enough. Ends all that runs if we are to end.
  private func runAll(
    _ runs: [Run], with others: [Rule]? = nil, in setting: SweepProcess.Setting? = nil,
    _ body: (Run, SweepOutcome) -> Bool
  ) throws(RunError) {
    var waiting = runs[...]
    var active: [(run: Run, process: SweepProcess, folder: Int)] = []
    var free = Array(folders.indices)
    var goesOn = true
    while !active.isEmpty || goesOn && !waiting.isEmpty {
      while goesOn, let run = waiting.first, let folder = free.popLast() {
        waiting.removeFirst()
        let process = try SweepProcess(
          setting ?? self.setting, others ?? [rule(of: run)], in: folders[folder])
        active.append((run, process, folder))
      }
      waitForSignal(endingAll: active.map(\.process))
      for index in active.indices.reversed() {
        let (run, process, folder) = active[index]
        var status: Int32 = 0
        let isOver = process.isOver
        if isOver { kill(process.process, SIGKILL) }
        guard waitpid(process.process, &status, isOver ? 0 : WNOHANG) == process.process else {
          continue
        }
        process.endOthers()
        active.remove(at: index)
        let files = try folders[folder].changes()
        free.append(folder)
        let outcome = process.outcome(status: status, hasTimedOut: isOver, files: files)
        if goesOn { goesOn = body(run, outcome) }
      }
    }
  }

  private func rule(of run: Run) -> Rule {
    var rule = rules[run.rule]
    rule.calls = Rule.Calls(first: run.call, last: run.call)
    return rule
  }

  /// Waits for a child, for a twentieth of a second at most. Ends us if somebody asks for that.
  private func waitForSignal(endingAll processes: [SweepProcess]) {
    var signals = signals
    var time = timespec(tv_sec: 0, tv_nsec: 50_000_000)
    let signal = sigtimedwait(&signals, nil, &time)
    guard signal > 0, signal != SIGCHLD else { return }
    for process in processes {
      kill(process.process, SIGKILL)
      var status: Int32 = 0
      waitpid(process.process, &status, 0)
      process.endOthers()
    }
    for folder in folders { folder.remove() }
    progress.end()
    printFindings()
    ProgramEnd(status: signal).repeatHere()
  }

  // MARK: - Findings

  private func note(_ finding: Finding?, _ run: Run) {
    guard let finding else { return }
    let rule = rules[run.rule]
    var words = ["rebind-run", "fail", rule.words, "--on", "\(run.call)"]
    if let images = rule.images, images != "*" { words += ["--in", images] }
    if let path = rule.path { words += ["--when", "path=\(path)"] }
    words += ["--"] + program
    add(finding, words.map(shellWord).joined(separator: " "))
  }

  private func add(_ finding: Finding, _ command: String) {
    if let place = places[finding.key] {
      findings[place].runs += 1
    } else {
      places[finding.key] = findings.count
      findings.append((finding, command, 1))
    }
  }

  private func printFindings() {
    var text = ""
    for (finding, command, runs) in findings {
      text += "\(finding.kind.rawValue): \(printable(finding.detail))"
      text += runs > 1 ? " (\(runs) runs)\n" : "\n"
      text += Self.places(of: finding)
      text += "  \(command)\n\n"
    }
    let number = findings.isEmpty ? "no finding" : plural(findings.count, "finding")
    text += "\(done < total ? "\(done) of " : "")\(plural(total, "run")), \(number)\n"
    Destination.standardOutput.write(text)
    if unreached > 0 {
      say(
        "\(plural(unreached, "run")) did not come to the call that was to fail: the program differs from run to run"
      )
    }
  }

  /// The innermost frames, down to the first outside of the C library.
  private static func places(of finding: Finding) -> String {
    func upToCaller(_ frames: [String]) -> ArraySlice<String> {
      let caller = frames.firstIndex { !WatchedRun.Frame.isLibc($0) } ?? frames.count
      return frames.prefix(max(1, min(caller + 1, 8)))
    }
    var text = ""
    for (index, frame) in upToCaller(finding.strike).enumerated() {
      text += index == 0 ? "  the call came from \(frame)\n" : "    called by \(frame)\n"
    }
    for (index, frame) in upToCaller(finding.crash).enumerated() {
      text += index == 0 ? "  it crashed at \(frame)\n" : "    called by \(frame)\n"
    }
    return text
  }

  private func say(_ text: String) { Destination.standardError.write("rebind-run: \(text)\n") }

  /// The input of the runs: a copy of standard input, unless that is a terminal.
  private static func input() throws(RunError) -> SweepProcess.Input {
    var status = stat()
    guard isatty(0) == 0, fstat(0, &status) == 0, status.st_mode & S_IFMT != S_IFCHR else {
      return .file("/dev/null")
    }
    let copy = createMemoryFile("input", 1)
    guard copy >= 0 else { throw RunError("no memory for standard input") }
    var bytes = [UInt8](repeating: 0, count: 65536)
    var start: [UInt8] = []
    var isTold = false
    while true {
      var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      if !isTold, poll(&input, 1, 1000) == 0 {
        Destination.standardError.write(
          "rebind-run: reading standard input to its end, for each run: </dev/null gives none\n")
        isTold = true
      }
      let count = read(0, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw RunError("standard input: \(String(cString: strerror(errno)))")
      }
      if count == 0 { break }
      guard write(copy, bytes, count) == count else {
        throw RunError("no memory for standard input")
      }
      if start.count <= SweepProcess.mostPipedBytes { start += bytes[..<count] }
    }
    // Programs read pipes in another way than files.
    return status.st_mode & S_IFMT == S_IFIFO && start.count <= SweepProcess.mostPipedBytes
      ? .pipe(start) : .file("/proc/\(getpid())/fd/\(copy)")
  }
}

/// `1 run`, `2 runs`.
func plural(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

/// The text without what controls a terminal.
func printable(_ text: String) -> String {
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if scalar.properties.generalCategory == .control {
      result.append(contentsOf: "\\x\(String(scalar.value, radix: 16))".unicodeScalars)
    } else {
      result.append(scalar)
    }
  }
  return String(result)
}

/// The corresponding function of libc is `prctl`, which Swift does not import.
@_silgen_name("prctl")
private func setProcessOption(_ option: Int32, _ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Int32

/// A word as a shell reads it.
private func shellWord(_ word: String) -> String {
  let isPlain =
    !word.isEmpty
    && word.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-_=./:,+@%^".contains($0))
    }
  return isPlain
    ? word
    : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
}

#endif
