public import Foundation
import Synchronization

/// The remains of a child process: its exit status or signal, and its output.
public struct ProcessResult: Sendable {
  /// The exit status, or the number of the signal that ended the process.
  public var status: Int32
  /// True if the process was ended by a signal.
  public var wasSignalled: Bool
  /// True if it was ended here, as it hung or never ended.
  var wasEnded = false
  public var standardOutput: Data
  public var standardError: Data

  public var output: String { String(decoding: standardOutput, as: UTF8.self) }
  public var errorOutput: String { String(decoding: standardError, as: UTF8.self) }
  public var succeeded: Bool { status == 0 && !wasSignalled }
}

/// Runs `executable` with `arguments` and waits for it to end.
///
/// Output goes through files rather than pipes, so a child that prints more
/// than a pipe holds does not block. A tool of Swift's that a signal ends is run again, twice at
/// most: in Swift 6.3 libdispatch's `_dispatch_event_loop_drain` crashes once in hundreds of builds.
///
/// - Parameters:
///   - environment: Further variables. Tools are found by `Tools.path`, whatever stands first in PATH.
///   - processorTime: How many seconds of it the process and its children may use. One that uses none for
///     `idle` seconds is ended, too.
public func run(
  _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
  currentDirectory: URL? = nil, processorTime: Double = 900, idle: Double = 60
) throws -> ProcessResult {
  let limits = Watch.Limits(most: processorTime, idle: idle)
  var result = try runOnce(executable, arguments, environment, currentDirectory, limits)
  for _ in 1...2 where result.wasSignalled && !result.wasEnded && isOfSwift(executable) {
    result = try runOnce(executable, arguments, environment, currentDirectory, limits)
  }
  return result
}

private func runOnce(
  _ executable: String, _ arguments: [String], _ environment: [String: String],
  _ currentDirectory: URL?, _ limits: Watch.Limits
) throws -> ProcessResult {
  let scratch = try TemporaryDirectory()
  let outputURL = scratch.url.appending(path: "stdout")
  let errorURL = scratch.url.appending(path: "stderr")
  try Data().write(to: outputURL)
  try Data().write(to: errorURL)

  let process = Process()
  process.executableURL = try Tools.locate(executable)
  process.arguments = arguments
  process.environment = ProcessInfo.processInfo.environment
    .merging(["PATH": Tools.path]) { $1 }
    .merging(try isOfSwift(executable) ? ["TMPDIR": swiftsTemporaryFolder()] : [:]) { $1 }
    .merging(environment) { $1 }
  process.currentDirectoryURL = currentDirectory
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = try FileHandle(forWritingTo: outputURL)
  process.standardError = try FileHandle(forWritingTo: errorURL)
  try withoutBlockedSignals { try process.run() }
  Watch.begin(process.processIdentifier, limits)
  process.waitUntilExit()
  let reason = Watch.end(process.processIdentifier)

  return ProcessResult(
    status: process.terminationStatus,
    wasSignalled: process.terminationReason == .uncaughtSignal, wasEnded: reason != nil,
    standardOutput: try Data(contentsOf: outputURL),
    standardError: try Data(contentsOf: errorURL)
      + Data((reason.map { "\(executable) was ended: \($0)\n" } ?? "").utf8))
}

/// Runs `body` with no signal blocked, as a shell starts programs. A child inherits what its thread blocks, and the
/// threads of libdispatch block nearly all.
private func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
  var none = sigset_t()
  var former = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, &former)
  defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
  try body()
}

/// Swift's tools leave sources of macros in their temporary folder, and keep each other out of a
/// package by files there. So they have one for all, with their other products.
private func swiftsTemporaryFolder() throws -> String {
  let folder = Places.package.appending(path: ".build/tmp")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder.path
}

private func isOfSwift(_ executable: String) -> Bool {
  ["swift", "swiftc"].contains(URL(filePath: executable).lastPathComponent)
}

/// A directory that is deleted with the last reference to it, and at the latest when this process
/// exits.
public final class TemporaryDirectory: Sendable {
  public let url: URL

  /// The paths of all begin with it.
  static let prefix = FileManager.default.temporaryDirectory.appending(path: "rebind-").path

  public init() throws {
    url = URL(filePath: Self.prefix + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    _ = Self.deletesAtExit
    _ = Self.present.withLock { $0.insert(url) }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
    _ = Self.present.withLock { $0.remove(url) }
  }

  private static let present = Mutex<Set<URL>>([])

  private static let process = ProcessInfo.processInfo.processIdentifier

  private static let deletesAtExit: Void = {
    _ = process
    atexit {
      // A forked child exits too.
      guard ProcessInfo.processInfo.processIdentifier == TemporaryDirectory.process else { return }
      for url in TemporaryDirectory.present.withLock({ $0 }) {
        try? FileManager.default.removeItem(at: url)
      }
    }
  }()

  private static let kept = Mutex<[TemporaryDirectory]>([])

  /// Has the directory deleted when this process exits, and not before.
  public func keepUntilExit() { Self.kept.withLock { $0.append(self) } }

  /// A directory that is deleted when this process exits.
  public static func keptUntilExit() throws -> URL {
    let directory = try TemporaryDirectory()
    directory.keepUntilExit()
    return directory.url
  }
}
