import RebindTesting
import Synchronization
import TestSupport

private struct Mistake: Error, Equatable {}

/// How handlers are called, nest and end.
@Suite(.measured) struct HandlerTests {
  /// A handler of two arguments leaves the third one where it was.
  @Test func variadicFunctions() throws {
    let folder = try TemporaryDirectory()
    let path = folder.url.appending(path: "made").path
    let before = umask(0)
    defer { umask(before) }
    func mode() -> mode_t {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    try withRebinding("open", like: open) { (original, path, flags) in
      original(path, flags)
    } body: {
      close(open(path, O_CREAT | O_WRONLY, 0o640))
    }
    #expect(mode() == 0o640)
    unlink(path)
    // Through two handlers.
    try withRebinding(
      "openat",
      { (original, folder: CInt, path: UnsafePointer<CChar>) -> CInt in
        original(folder, path)
      }
    ) {
      try withRebinding(
        "openat",
        { (original, folder: CInt, path: UnsafePointer<CChar>, flags: CInt) -> CInt in
          original(folder, path, flags)
        }
      ) { close(openat(AT_FDCWD, path, O_CREAT | O_WRONLY, 0o604)) }
    }
    #expect(mode() == 0o604)
    try withRebinding(
      "fcntl", { (original, file: CInt, command: CInt) -> CInt in original(file, command) }
    ) {
      let copy = fcntl(2, F_DUPFD_CLOEXEC, 400)
      #expect(copy >= 400)
      close(copy)
    }
  }

  @Test func capturesAndSetsErrno() async throws {
    let opened = Mutex<[String]>([])
    try await withRebinding(
      "open",
      {
        (original, path: UnsafePointer<CChar>, flags: CInt, mode: mode_t) -> CInt in
        opened.withLock { $0.append(String(cString: path)) }
        errno = ENOENT
        return -1
      }
    ) {
      errno = 0
      let descriptor = open("/etc/os-release", O_RDONLY)
      #expect(descriptor == -1 && errno == ENOENT)
    }
    #expect(opened.withLock { $0 } == ["/etc/os-release"])
    let descriptor = open("/etc/os-release", O_RDONLY)
    #expect(descriptor >= 0)
    close(descriptor)
  }

  /// Neither the original's errno nor the body's is lost on the way.
  @Test func errnoPasses() throws {
    errno = 0
    let error = try withRebinding(
      "close", { (original, descriptor: CInt) -> CInt in original(descriptor) }
    ) {
      let result = close(-1)
      let error = errno
      errno = EXDEV
      return result == -1 ? error : 0
    }
    let after = errno
    #expect(error == EBADF && after == EXDEV)
  }

  @Test func nestedHandlersChain() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    try withRebinding("small", { (original, value: Int8) -> Int8 in original(value) * 2 }) {
      try withRebinding("small", { (original, value: Int8) -> Int8 in original(value - 1) + 10 }) {
        #expect(call() == -4 * 2 + 10)
      }
      #expect(call() == -6)
    }
    #expect(call() == -3)
  }

  /// In the order in which they were made, whatever their reaches.
  @Test func nestedReachesChain() async {
    await #expect(processExitsWith: .success) {
      let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
      let order = Mutex<[String]>([])
      try withRebinding(
        "small", reach: .task,
        { (original, value: Int8) -> Int8 in
          order.withLock { $0.append("outer") }
          return original(value)
        }
      ) {
        try withRebinding(
          "small", reach: .process,
          { (original, value: Int8) -> Int8 in
            order.withLock { $0.append("middle") }
            return original(value)
          }
        ) {
          try withRebinding(
            "small", reach: .thread,
            { (original, value: Int8) -> Int8 in
              order.withLock { $0.append("inner") }
              return original(value)
            }
          ) { try #require(call() == -3) }
        }
      }
      try #require(order.withLock { $0 } == ["inner", "middle", "outer"])
    }
  }

  /// A handler that is called from itself would never end.
  @Test func callsInsideAHandlerReachTheOriginal() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    let callOuter: TypedCalls.Int32Caller = try TypedCalls.function("call_outer_function")
    var handled = 0
    try withRebinding(
      "small", reach: .thread,
      { (original, value: Int8) -> Int8 in
        handled += 1
        return value == 20 ? 99 : Int8(callOuter())  // calls small(20)
      }
    ) { #expect(call() == 21) }
    #expect(handled == 1)
  }

  /// The original of one function is code under test for another function's handler.
  @Test func originalsReachOtherHandlers() throws {
    let callOuter: TypedCalls.Int32Caller = try TypedCalls.function("call_outer_function")
    try withRebinding("small", { (_, value: Int8) -> Int8 in value + 1 }) {
      try withRebinding("outer_function", { (original, value: CInt) -> CInt in original(value) }) {
        #expect(callOuter() == 22)
      }
    }
  }

  @Test func originalsOwnCallsReachTheOriginal() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_countdown")
    var handled = 0
    try withRebinding(
      "countdown", reach: .thread,
      { (original, value: CInt) -> CInt in
        handled += 1
        return original(value)
      }
    ) { #expect(call() == 5) }
    #expect(handled == 1)
  }

  @Test func bodysResultAndErrorPass() async throws {
    let result = try await withRebinding("getppid", { _ -> pid_t in 7 }) { "\(getppid())" }
    #expect(result == "7")
    #expect(throws: Mistake()) {
      try withRebinding("getppid", { _ -> pid_t in 7 }) { throw Mistake() }
    }
    await #expect(throws: Mistake()) {
      try await withRebinding("getppid", { _ -> pid_t in 7 }) {
        await Task.yield()
        #expect(getppid() == 7)
        throw Mistake()
      }
    }
    #expect(getppid() != 7)
  }

  /// A task that a handler starts is one of the body's, and so is what it calls.
  @Test func handlersMayStartTasks() async throws {
    let tasks = Mutex<[Task<pid_t, Never>]>([])
    let seen = try await withRebinding(
      "getppid",
      { _ -> pid_t in
        tasks.withLock { if $0.isEmpty { $0.append(Task { getppid() }) } }
        return 7
      }
    ) {
      let own = getppid()
      let task = tasks.withLock { $0[0] }
      return [own, await task.value]
    }
    #expect(seen == [7, 7])
  }

  @Test func cancellationRestores() async {
    let task = Task {
      try await withRebinding("getppid", { _ -> pid_t in 7 }) {
        #expect(getppid() == 7)
        try await Task.sleep(for: .seconds(600))
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(getppid() != 7)
  }

  @Test func fatalErrorInAHandlerEndsTheProcess() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withRebinding("getppid", { _ -> pid_t in fatalError("handler gave up") }) {
        _ = getppid()
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("handler gave up"))
  }
}
