import Glibc

#if Commands

import ArgumentParser
import CRebindVersion

/// The command `rebind-run`: hooks from the shell.
@main
struct RebindRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebind-run",
    abstract: "Run a program and count its calls between images, make them fail, or delay them.",
    discussion: """
      The program is as it was: its output, its exit status, the signal that ends it. It need not be compiled \
      anew, and nobody needs to be root. Calls inside one library go through no slot, so they are not seen.

      The exit status is the program's. It is 127 if no such program is found, and 126 if the program cannot be \
      run or reached. It is 125 if rebind-run itself fails, and 64 if the command line is wrong.

      EXAMPLES:
        rebind-run count '*' -- git status
        rebind-run count --by both 'open*,close' -- python3 -c pass
        rebind-run fail open=ENOENT --on 3 -- prog
        rebind-run delay connect=200ms -- curl https://example.org
        rebind-run sweep malloc,open,read -- prog
      """,
    version: String(String(cString: crebind_version_file()).prefix { !$0.isNewline }),
    subcommands: [CountCommand.self, FailCommand.self, DelayCommand.self, SweepCommand.self])

  /// The command line: ours, and the program's behind the first `--`.
  static let words: (own: [String], program: [String]) = {
    let words = CommandLine.arguments.dropFirst()
    guard let end = words.firstIndex(of: "--") else { return (Array(words), []) }
    return (Array(words[..<end]), Array(words[(end + 1)...]))
  }()

  /// The program's words as they are: bytes, which need be no text.
  static var arguments: [UnsafeMutablePointer<CChar>?] {
    let words = UnsafeMutableBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return words.dropFirst(words.count - Self.words.program.count) + [nil]
  }

  /// SIGCHLD was ignored, which is the program's affair: we want to see it end.
  static let ignoresChildren = ignores(SIGCHLD, from: SIG_DFL)

  /// Whether a signal was ignored until now.
  static func ignores(_ signal: Int32, from action: __sighandler_t?) -> Bool {
    unsafeBitCast(Glibc.signal(signal, action), to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  static func main() {
    // A file of ours would be the program's standard error.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDWR | O_CLOEXEC)
    }
    _ = ignoresChildren
    main(words.own)
  }
}

#else

/// Says which trait the command needs: a package that depends on Rebind may have left it out.
@main
enum RebindRun {
  static func main() {
    let message = "rebind-run: enable the trait Commands of rebind\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(2)
  }
}

#endif
