#if Commands

import ArgumentParser
import Glibc

/// A run in which the program has our terminal, and we end as it does.
enum ForegroundRun {
  /// Runs the program, and ends this process as the program ended.
  ///
  /// - Parameters:
  ///   - output: A file for the table; nil for standard error.
  ///   - report: Writes the table. It returns notes for standard error.
  static func run(
    _ program: [String], _ tasks: SharedFile.Tasks, _ rules: [Rule], output: String?,
    report: (RunResult, Destination) -> [String]
  ) throws -> Never {
    do {
      let executable = try Executable(program[0])
      let library = try PreloadedLibrary.path()
      // A file that cannot be written is said before the program starts.
      let destination = try output.map(Destination.init(path:)) ?? .standardError
      let file = try SharedFile(tasks, rules: rules)
      let process = try ChildProcess(executable.path, adding: library, sharing: file)
      let end = try process.waitForEnd()
      for note in report(file.result(), destination) {
        Destination.standardError.write("rebind-run: \(note)\n")
      }
      end.repeatHere()
    } catch {
      Destination.standardError.write("rebind-run: \(error.message)\n")
      throw ExitCode(error.status)
    }
  }
}

/// Patterns or faults on a command line.
enum Words {
  /// One by one: several may stand in an argument, with commas between them.
  static func split(_ arguments: [String]) -> [String] {
    arguments.flatMap { $0.split(separator: ",").map(String.init) }
  }

  static func check(_ words: [String], of kind: String) throws {
    guard !RebindRun.words.program.isEmpty else {
      throw ValidationError("Put the program behind --.")
    }
    guard !words.isEmpty, words.count <= SharedFile.mostRules else {
      throw ValidationError("Give 1 to \(SharedFile.mostRules) \(kind).")
    }
    if let wrong = words.first(where: { $0.utf8.count > 500 }) {
      throw ValidationError("A pattern has at most 500 bytes: \(wrong.prefix(20))...")
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
  static let standardOutput = Destination(descriptor: STDOUT_FILENO)

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
          "rebind-run: the output could not be written: \(String(cString: strerror(errno)))\n"
        _ = Glibc.write(STDERR_FILENO, message, message.utf8.count)
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }
}

#endif
