import TestSupport

extension Process {
  /// Sets a program at which the tests may look: they are no ancestors of it, but its siblings.
  func setTraceable(_ program: URL, _ arguments: [String]) throws {
    executableURL = try Self.launcher.get()
    self.arguments = [program.path] + arguments
  }

  /// Ends it, if it was started: one that was not has the number 0, which stands for all of us.
  func end() {
    guard isRunning else { return }
    // Not SIGTERM: a child is born with the signals blocked that its thread has.
    kill(processIdentifier, SIGKILL)
    waitUntilExit()
  }

  private static let launcher = Result {
    let builder = try FixtureBuilder(.gcc)
    builder.directory.keepUntilExit()
    // Static, so that nothing is preloaded into it.
    return try builder.build(
      "traceable", from: ["inspect-traceable.c"], flags: ["-static"], withCore: false)
  }
}

/// A program that has said that it is ready, and waits to be ended.
final class WaitingProcess {
  private let process = Process()
  /// Its first line.
  let said: String
  /// Where its files are, which stay as long as it lasts.
  var directory: TemporaryDirectory?
  var id: Int32 { process.processIdentifier }

  init(_ url: URL, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    let output = Pipe()
    try process.setTraceable(url, arguments)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
    said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
  }

  deinit { process.end() }
}
