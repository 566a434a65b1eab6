import TestSupport

/// A tracing library preloaded into other people's programs: they go on as before,
/// and it sees what strace sees.
@Suite(.serialized, .measured, .notInCheck) struct PreloadTests {
  struct Command: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var testDescription: String { arguments.joined(separator: " ") }

    static let all = [
      Command(arguments: ["ls", "-R", Places.package.appending(path: "Documentation").path]),
      Command(arguments: [Places.python, "-c", "import json, ssl"]),
      Command(arguments: ["git", "--version"]),
      Command(arguments: ["gcc", "-c", "small.c", "-o", "small.o"]),
      Command(arguments: ["swiftc", "-c", "small.swift", "-o", "small-swift.o"]),
    ]
  }

  private let builder: FixtureBuilder
  private let library: String
  private let trace: URL

  init() throws {
    builder = try FixtureBuilder(.gcc)
    library = try builder.build(
      "preload-trace.so", from: ["preload-trace.c"], flags: ["-shared", "-fPIC"],
      libraries: [Fixture.core(by: .gcc)], withCore: false
    ).path
    trace = builder.directory.url.appending(path: "trace")
    for (name, text) in ["small.c": "int small(void) { return 1; }", "small.swift": "print(1)"] {
      try Data("\(text)\n".utf8).write(to: builder.directory.url.appending(path: name))
    }
  }

  @Test(arguments: Command.all)
  func outputAndStatusAreTheSame(command: Command) throws {
    let plain = try start(command.arguments)
    let traced = try start(
      command.arguments, environment: ["LD_PRELOAD": library, "PRELOAD_TRACE_FILE": trace.path])
    #expect(plain.succeeded)
    #expect(traced.status == plain.status && traced.wasSignalled == plain.wasSignalled)
    #expect(traced.standardOutput == plain.standardOutput)
    #expect(traced.standardError == plain.standardError)
    let calls = try tracedCalls()
    #expect(!calls.direct.isEmpty || !calls.inside.isEmpty)
  }

  /// Each direct call is one of strace's; what strace sees besides was opened by the
  /// loader, inside of libc, or by the core itself.
  @Test(arguments: Command.all)
  func opensAgreeWithThoseOfStrace(command: Command) throws {
    let log = builder.directory.url.appending(path: "strace")
    let options = ["-f", "-s", "4096", "-e", "trace=open,openat,creat", "-o", log.path]
    guard let probe = try? start(["strace"] + options + ["true"]) else {
      try Test.cancel("strace is not installed")
    }
    guard probe.succeeded else {
      try Test.cancel("strace may not trace here: \(probe.errorOutput)")
    }
    let result = try start(
      ["strace"] + options
        + ["-E", "LD_PRELOAD=\(library)", "-E", "PRELOAD_TRACE_FILE=\(trace.path)"]
        + command.arguments)
    #expect(result.succeeded)

    var opened = try tally(straceLog: log)
    opened[trace.path] = nil
    let calls = try tracedCalls()
    for (path, count) in calls.direct {
      #expect(count <= opened[path, default: 0], "\(path) was seen, but not by strace")
      opened[path, default: 0] -= count
    }
    for (path, count) in calls.inside { opened[path, default: 0] -= count }
    let unexplained = opened.filter { $0.value > 0 && !Self.isOpenedInside($0.key) }
    #expect(unexplained.isEmpty)
  }

  /// True for files that are opened past every slot.
  private static func isOpenedInside(_ path: String) -> Bool {
    // The loader: libraries, its cache, and modules that programs dlopen.
    let name = path.split(separator: "/").last ?? ""
    if name.contains(".so") || name.hasPrefix("ld.so") || name.hasSuffix(".dylib") { return true }
    // libc: locales, translations, character sets, names of users, time zones, numbers
    // of processors. /proc/self/task is the core's look at the threads.
    return [
      "/usr/lib/locale/", "/usr/share/locale", "/etc/", "/proc/", "/sys/", "/usr/share/zoneinfo/",
    ].contains { path.hasPrefix($0) } || path.contains("/gconv/")
  }

  private func start(_ arguments: [String], environment: [String: String] = [:]) throws
    -> ProcessResult
  {
    try? FileManager.default.removeItem(at: trace)
    return try run(
      arguments[0], Array(arguments.dropFirst()), environment: environment,
      currentDirectory: builder.directory.url)
  }

  /// How often each path was opened, as the library saw it.
  private func tracedCalls() throws -> (direct: [String: Int], inside: [String: Int]) {
    var direct: [String: Int] = [:]
    var inside: [String: Int] = [:]
    let text = String(decoding: try Data(contentsOf: trace), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      try #require(parts.count == 3)
      if parts[1] == "direct" {
        direct[String(parts[2]), default: 0] += 1
      } else {
        inside[String(parts[2]), default: 0] += 1
      }
    }
    return (direct, inside)
  }

  /// How often each path was opened, as strace saw it: `PID openat(AT_FDCWD, "PATH", …`.
  private func tally(straceLog: URL) throws -> [String: Int] {
    var paths: [String: Int] = [:]
    let text = String(decoding: try Data(contentsOf: straceLog), as: UTF8.self)
    for line in text.split(separator: "\n") {
      // Of a call that was interrupted, the first line has the path.
      let quoted = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
      guard quoted.count == 3, !line.contains("execve(") else { continue }
      paths[String(quoted[1]), default: 0] += 1
    }
    return paths
  }
}
