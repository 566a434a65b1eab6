import Foundation
import TestSupport

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
    process.executableURL = url
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
    said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
  }

  deinit {
    // One that was not started has the number 0, which is all of us.
    guard process.isRunning else { return }
    // Not SIGTERM: a child is born with the signals blocked that its thread has.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
