#if Commands

import ArgumentParser
import Glibc

/// `rebind-run sweep`: each call of chosen functions fails in turn, and what the program does then is judged.
struct SweepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Run a program again and again, each time with another call failing.",
    usage: "rebind-run sweep [<options>] <fault> ... -- <program> [<argument> ...]",
    discussion: """
      Faults are as of fail. Three runs without a failure come first, which tell how many calls the program makes, \
      and whether its output is the same each time. Then the 1st, 2nd, … call fails, in a run each.

      A run is a finding if it crashed, hung, made a sanitizer report, or exited as without the failure but with \
      another output. So is one that failed without a message, closed a descriptor twice, or left one open. Each is \
      printed with the command that reproduces it. A sweep of write or its like has a run with a full disk as standard \
      output. By default the calls of the program itself fail: --in '*' is for those of its libraries, too.

      The program runs in a copy of the working folder, with a folder of its own for temporary files, and without a \
      terminal. Standard input is read once, if it is no terminal, and given to each run. LC_ALL=C spares programs \
      hundreds of calls that read their locale.

      The exit status is 1 for findings, 0 for none, and as of the other commands if the program cannot be run.

      EXAMPLES:
        rebind-run sweep malloc -- sed 's/a/b/' file
        rebind-run sweep malloc,open,read,write=short --in '*' -- prog
        rebind-run sweep 'connect,recv=ECONNRESET' --timeout 2s --first -- client
      """)

  @Argument(help: "Functions, and how they fail.")
  var faults: [String]

  @Option(help: "Fail the first so many calls of each fault.")
  var limit: UInt64 = 500

  @Option(help: "How long a run may take, such as 500ms, 10s or 2m.")
  var timeout = "10s"

  @Option(help: "Runs at the same time; the processors' number if nothing is said.")
  var jobs: Int?

  @Flag(help: "Stop at the first finding.")
  var first = false

  @Option(
    name: .customLong("in"),
    help: "Fail calls by images whose path or file name matches, instead of the program's own.")
  var images: String?

  @Option(help: "Fail only calls with such an argument: 'path=/etc/*'.")
  var when: String?

  @Option(
    help:
      "The folder that each run has a copy of, instead of the working folder, which must be in it.",
    completion: .directory)
  var scratch: String?

  @Option(
    help: "A file that keeps the results of runs. Those that it has already are not run again.",
    completion: .file())
  var resume: String?

  private func rules() throws -> [Rule] {
    try StrikeOptions.rules(faults) { text throws(RunError) in try Rule(fault: text) }
  }

  func validate() throws {
    guard try rules().count <= SharedFile.mostRules / 2 else {
      throw ValidationError(
        "Give at most \(SharedFile.mostRules / 2) faults, and sweep the others afterwards: a run has room for \(SharedFile.mostRules), and the runs without a failure count the calls of each twice."
      )
    }
    guard let time = Rule.nanoseconds(timeout), time >= 1_000_000 else {
      throw ValidationError("--timeout takes a time with its unit, such as 10s.")
    }
    guard limit > 0, jobs ?? 1 > 0 else {
      throw ValidationError("--limit and --jobs take numbers from 1 on.")
    }
    if let when, !when.hasPrefix("path=") {
      throw ValidationError("--when takes path=PATTERN.")
    }
  }

  func run() throws {
    let program = RebindRun.words.program
    do {
      let executable = try Executable(program[0])
      let rules = try rules().map { rule in
        var rule = rule
        rule.images = images ?? Sweep.pattern(of: executable.image)
        rule.path = when.map { String($0.dropFirst(5)) }
        return rule
      }
      let sweep = try Sweep(
        program, executable, rules, limit: limit, timeout: Rule.nanoseconds(timeout) ?? 0,
        jobs: jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), stopsAtFirst: first,
        scratch: scratch, log: resume)
      throw ExitCode(try sweep.run() ? 1 : 0)
    } catch let error as RunError {
      Destination.standardError.write("rebind-run: \(error.message)\n")
      throw ExitCode(error.status)
    }
  }
}

#endif
