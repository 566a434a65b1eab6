#if Commands

import ArgumentParser

/// Which calls are struck, and where that is told.
struct StrikeOptions: ParsableArguments {
  @Option(
    help:
      "Strike this call alone, counted from 1 in all processes together, or a range: 3, 2-4, 5-.")
  var on: String?

  @Option(help: "Strike every so many calls only.")
  var every: UInt64?

  @Option(
    name: .customLong("in"), help: "Only calls by images whose path or file name matches.")
  var images: String?

  @Option(help: "Only calls with such an argument: 'path=/etc/*'.")
  var when: String?

  @Option(help: "Where the table of calls goes, instead of standard error.", completion: .file())
  var output: String?

  /// The path's pattern.
  private var path: String? {
    guard let when, when.hasPrefix("path=") else { return nil }
    return String(when.dropFirst(5))
  }

  private var calls: Rule.Calls? {
    guard var calls = on.map(Rule.Calls.init) ?? Rule.Calls() else { return nil }
    if let every {
      calls.every = every
      // Every tenth call is the tenth first.
      if on == nil { calls.first = every }
    }
    return calls
  }

  func validate() throws {
    guard let calls, calls.every > 0 else {
      throw ValidationError("--on takes 3, 2-4 or 5-, and --every a number from 1 on.")
    }
    if when != nil, path == nil { throw ValidationError("--when takes path=PATTERN.") }
  }

  /// Runs the program with the rules, and says which calls they struck.
  func run(_ rules: [Rule]) throws {
    let rules = rules.map { rule in
      var rule = rule
      (rule.calls, rule.images, rule.path) = (calls ?? Rule.Calls(), images, path)
      return rule
    }
    try ForegroundRun.run(RebindRun.words.program, [], rules, output: output) {
      result, destination in
      let table = CallTable(result, by: .both, in: [], top: nil, counting: "struck")
      if table.total > 0 { destination.write(table.text()) }
      return result.notes
    }
  }

  static func rules(
    _ arguments: [String], _ make: (String) throws(RunError) -> Rule
  ) throws -> [Rule] {
    let words = Words.split(arguments)
    try Words.check(words, of: "faults")
    do { return try words.map { word throws(RunError) in try make(word) } } catch {
      throw ValidationError("\(error.message).")
    }
  }
}

/// `rebind-run fail`: chosen calls of any program fail.
struct FailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fail",
    abstract: "Run a program and make chosen calls fail.",
    usage: "rebind-run fail [<options>] <fault> ... -- <program> [<argument> ...]",
    discussion: """
      A fault is a pattern, as count takes them, with an error behind it, such as open=ENOENT, or a result, such \
      as getuid=0 or malloc=NULL. With write=short:100 the call goes on with at most so many bytes or items; \
      write=short stands for 1. A pattern alone makes the call fail as it usually does: malloc is NULL with \
      ENOMEM. A function that is not known returns -1 with the error.

      A close that fails has closed, and a stream whose call fails has its error flag set. At the end a table \
      says which calls were struck, and a note says which fault struck none, and why.

      EXAMPLES:
        rebind-run fail open=ENOENT --on 3 -- prog
        rebind-run fail 'open*=EACCES,fopen*=EACCES' --when 'path=/etc/*' -- id
        rebind-run fail malloc --every 100 --in prog -- prog
        rebind-run fail write=short:7,read=EINTR -- cat file
      """)

  @Argument(help: "Functions, and how they fail.")
  var faults: [String]

  @OptionGroup var options: StrikeOptions

  private func rules() throws -> [Rule] {
    try StrikeOptions.rules(faults) { text throws(RunError) in try Rule(fault: text) }
  }

  func validate() throws { _ = try rules() }
  func run() throws { try options.run(rules()) }
}

/// `rebind-run delay`: chosen calls of any program wait first.
struct DelayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delay",
    abstract: "Run a program and make chosen calls wait.",
    usage: "rebind-run delay [<options>] <pattern>=<time> ... -- <program> [<argument> ...]",
    discussion: """
      The call waits first, and goes on then. A time has its unit: ns, us, ms, s or m.

      EXAMPLES:
        rebind-run delay connect=200ms -- curl https://example.org
        rebind-run delay 'read=1s' --on 2 -- prog
      """)

  @Argument(help: "Functions, and how long they wait.")
  var delays: [String]

  @OptionGroup var options: StrikeOptions

  private func rules() throws -> [Rule] {
    try StrikeOptions.rules(delays) { text throws(RunError) in try Rule(delay: text) }
  }

  func validate() throws { _ = try rules() }
  func run() throws { try options.run(rules()) }
}

#endif
