#if Commands

import ArgumentParser
import Glibc

/// `rebind-run count`: how often which functions are called, and by which images.
struct CountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count calls by function and calling image.",
    usage: "rebind-run count [<options>] <pattern> ... -- <program> [<argument> ...]",
    discussion: """
      A pattern is [LIBRARY:]NAME[@VERSION], each part with the shell's wildcards. The library is the one that \
      defines the function: its soname, file name or path. Several patterns may stand in one argument, with \
      commas between them.

      Threads, forked children and the programs that they execute are counted, too. A call that a function makes \
      as its last one, by a jump, counts for its own caller's image.

      EXAMPLES:
        rebind-run count '*' --top 10 -- git status
        rebind-run count malloc,calloc,realloc --by image -- gcc --version
        rebind-run count 'libz*:*' --in 'libpng*' -- viewer picture.png
        rebind-run count 'open*,close' --format json --output calls.json -- sh -c 'ls | wc'
      """)

  @Argument(help: "The functions to count.")
  var patterns: [String]

  /// The program, and its arguments.
  private var program: [String] { RebindRun.words.program }

  @Option(
    name: .customLong("in"),
    help: "Only calls by images whose path or file name matches; may be repeated.")
  var images: [String] = []

  @Option(help: "A line for each function, calling image, or both.")
  var by = Grouping.function

  @Option(help: "Only so many lines, those with the most calls.")
  var top: Int?

  @Option(help: "Text, JSON or CSV.")
  var format = Format.text

  @Option(help: "Where the table goes, instead of standard error.", completion: .file())
  var output: String?

  enum Grouping: String, ExpressibleByArgument, CaseIterable { case function, image, both }
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, csv }

  /// The patterns, one by one.
  private var singlePatterns: [String] {
    patterns.flatMap { $0.split(separator: ",").map(String.init) }
  }

  func validate() throws {
    guard !program.isEmpty else { throw ValidationError("Put the program behind --.") }
    guard !singlePatterns.isEmpty, singlePatterns.count <= SharedFile.mostPatterns else {
      throw ValidationError("Give 1 to \(SharedFile.mostPatterns) patterns.")
    }
    if let wrong = singlePatterns.first(where: { $0.utf8.count > 500 }) {
      throw ValidationError("A pattern has at most 500 bytes: \(wrong.prefix(20))...")
    }
    if let top, top < 1 { throw ValidationError("--top takes a number from 1 on.") }
  }

  func run() throws {
    do {
      let executable = try Executable(program[0])
      let library = try PreloadedLibrary.path()
      // A file that cannot be written is said before the program starts.
      let destination = try output.map(Destination.init(path:)) ?? .standardError
      let file = try SharedFile(patterns: singlePatterns)
      let process = try ChildProcess(
        executable.path, arguments: program, adding: library, sharing: file)
      let end = process.waitForEnd()
      let result = file.result()
      let table = CallTable(result, by: by, in: images, top: top)
      var notes = result.notes + table.notes
      if format == .json {
        destination.write(table.json(of: program, notes: notes))
        if output == nil { notes = [] }
      } else {
        destination.write(format == .csv ? table.csv() : table.text())
      }
      for note in notes { Destination.standardError.write("rebind-run: \(note)\n") }
      end.repeatHere()
    } catch {
      Destination.standardError.write("rebind-run: \(error.message)\n")
      throw ExitCode(error.status)
    }
  }
}

/// Why the program was not started.
struct RunError: Error {
  var status: Int32
  var message: String

  /// A failure of rebind-run itself.
  init(_ message: String) { (status, self.message) = (125, message) }

  /// A program that is not found, or that cannot be run or reached.
  init(status: Int32, _ message: String) { (self.status, self.message) = (status, message) }
}

/// Where a table goes.
struct Destination {
  private let descriptor: Int32
  static let standardError = Destination(descriptor: STDERR_FILENO)

  private init(descriptor: Int32) { self.descriptor = descriptor }

  init(path: String) throws(RunError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw RunError("\(path): \(String(cString: strerror(errno)))") }
  }

  /// Writes all of the text; says so if that fails, as on a full disk.
  func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let message =
          "rebind-run: the table could not be written: \(String(cString: strerror(errno)))\n"
        _ = Glibc.write(STDERR_FILENO, message, message.utf8.count)
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }
}

#endif
