#if Commands

import Glibc

/// One run of a sweep while it lasts: without a terminal, in a session of its own, with output to memory.
struct SweepProcess {
  /// Nobody wants so much output: the run is ended as one that hangs.
  private static let mostOutput = 64 << 20

  let process: pid_t
  let file: SharedFile
  private let folder: ScratchFolder?
  private let output: Int32
  private let errorOutput: Int32
  private let deadline: UInt64
  private let ruleCount: Int

  /// The parts that are the same in all runs.
  struct Setting {
    var path: String
    var library: String
    /// In nanoseconds.
    var timeout: UInt64
    var input: Input
    /// SIGPIPE was ignored before we did so.
    var ignoresPipes: Bool
    /// A path of what standard output is written to, instead of memory.
    var output: String?
  }

  enum Input {
    /// A path.
    case file(String)
    /// At most `mostPipedBytes`.
    case pipe([UInt8])
  }

  /// So much a pipe holds, without somebody who writes to it while the program reads.
  static let mostPipedBytes = 65536

  init(_ setting: Setting, _ rules: [Rule], in folder: ScratchFolder?) throws(RunError) {
    ruleCount = rules.count
    self.folder = folder
    file = try SharedFile(.watches, rules: rules)
    output = createMemoryFile("output", 1)
    errorOutput = createMemoryFile("errors", 1)
    guard output >= 0, errorOutput >= 0 else {
      throw RunError("no memory for output: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var pipe: Int32?
    defer { if let pipe { close(pipe) } }
    switch setting.input {
    case .file(let path): posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY, 0)
    case .pipe(let bytes):
      pipe = try Self.pipe(bytes)
      posix_spawn_file_actions_adddup2(&actions, pipe ?? 0, 0)
    }
    if let path = setting.output {
      posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    }
    posix_spawn_file_actions_adddup2(&actions, errorOutput, 2)
    if let folder { _ = addWorkingFolder(&actions, folder.workingFolder) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = none
    if !setting.ignoresPipes { sigaddset(&defaults, SIGPIPE) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // POSIX_SPAWN_SETSID, too, which libc's module leaves out.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | 0x80)
    let environment = ChildProcess.environment(
      adding: setting.library, file.variable, folder.map { ["TMPDIR": $0.temporary] } ?? [:])
    defer { for entry in environment { free(entry) } }
    var process: pid_t = 0
    let failure = posix_spawn(
      &process, setting.path, &actions, &attributes, RebindRun.arguments, environment)
    guard failure == 0 else {
      throw RunError(status: 126, "\(setting.path): \(String(cString: strerror(failure)))")
    }
    self.process = process
    deadline = now() + setting.timeout
  }

  /// The end to read from.
  private static func pipe(_ bytes: [UInt8]) throws(RunError) -> Int32 {
    var ends: [Int32] = [0, 0]
    // Without O_NONBLOCK we would wait for ever for a pipe that has less room, as the kernel may decide.
    guard makePipe(&ends, O_CLOEXEC) == 0, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0,
      Glibc.write(ends[1], bytes, bytes.count) == bytes.count
    else { throw RunError("no pipe: \(String(cString: strerror(errno)))") }
    close(ends[1])
    return ends[0]
  }

  /// True once it has taken too long, or written too much.
  var isOver: Bool {
    var status = stat()
    return now() > deadline || fstat(output, &status) == 0 && status.st_size > Self.mostOutput
      || fstat(errorOutput, &status) == 0 && status.st_size > Self.mostOutput
  }

  /// The outcome, once the process has ended. Its children end, too.
  func outcome(status: Int32, hasTimedOut: Bool, files: [String]) -> SweepOutcome {
    defer {
      file.close()
      close(output)
      close(errorOutput)
    }
    return SweepOutcome(
      status: status, hasTimedOut: hasTimedOut, output: contents(output),
      errorOutput: contents(errorOutput), files: files, watch: file.watch(),
      calls: (0..<ruleCount).map { file.calls(ofRule: $0) }, notes: file.notes())
  }

  /// Ends what the run has left: its session, and processes that have left that and are our children now.
  func endOthers() {
    kill(-process, SIGKILL)
    for child in Self.children() where Self.environment(of: child).contains(file.variable) {
      kill(child, SIGKILL)
      var status: Int32 = 0
      waitpid(child, &status, 0)
    }
  }

  /// The output, in which the folders of all runs have the same name.
  private func contents(_ descriptor: Int32) -> [UInt8] {
    var status = stat()
    fstat(descriptor, &status)
    let size = min(Int(status.st_size), Self.mostOutput)
    var bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = size == 0 ? 0 : max(0, pread(descriptor, buffer.baseAddress, size, 0))
    }
    guard let name = folder?.root.utf8 else { return bytes }
    let random = Array(name.suffix(6)), fixed = Array("folder".utf8)
    let end = Array("rebind-run-".utf8) + random
    for place in bytes.ranges(of: end) {
      bytes.replaceSubrange(place.upperBound - random.count..<place.upperBound, with: fixed)
    }
    return bytes
  }

  private static func children() -> [pid_t] {
    text(of: "/proc/self/task/\(getpid())/children").split(separator: " ").compactMap { pid_t($0) }
  }

  private static func environment(of process: pid_t) -> [String] {
    text(of: "/proc/\(process)/environ").split(separator: "\0").map(String.init)
  }

  private static func text(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65536)
    while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
      result += bytes[..<count]
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// The corresponding function of libc is `posix_spawn_file_actions_addchdir_np`, which its module leaves out.
@_silgen_name("posix_spawn_file_actions_addchdir_np")
private func addWorkingFolder(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>
) -> Int32

/// The corresponding function of libc is `pipe2`, which its module leaves out.
@_silgen_name("pipe2")
private func makePipe(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32

/// The time in nanoseconds, by CLOCK_MONOTONIC.
func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

#endif
