import RebindTesting
import TestSupport

/// Calls that are recorded.
@Suite(.measured) struct RecordingTests {
  @Test func inOrderWithTexts() throws {
    try withRecordedCalls(of: "open", "close", "rename", "getenv") { recording in
      let descriptor = open("/etc/os-release", O_RDONLY)
      close(descriptor)
      rename("/no/such/file", "/no/other/file")
      _ = getenv("HOME")
      #expect(
        recording.calls.map(\.description) == [
          #"open("/etc/os-release", 0)"#, "close(\(descriptor))",
          #"rename("/no/such/file", "/no/other/file")"#, #"getenv("HOME")"#,
        ])
      #expect(
        "\(recording)".hasPrefix("open(\"/etc/os-release\", 0)\nclose(\(descriptor))\nrename("))
      #expect(recording.calls(of: "open")[0].words[1] == UInt64(O_RDONLY))
    }
  }

  @Test func callsGoOn() async throws {
    try await withRebinding("getppid", { _ -> pid_t in 7 }) {
      try await withRecordedCalls(of: "getppid") { recording in
        async let child = getppid()
        let seen = [getppid(), await child]
        #expect(seen == [7, 7] && recording.calls.count == 2)
      }
    }
  }

  /// Asynchronous functions of Swift's runtime, which jump to one another, on frames that outlive the stack.
  @Test(.notInCheck) func asynchronousRuntime() async throws {
    func sum(below end: Int) async -> Int {
      async let half = end < 2 ? 0 : sum(below: end / 2)
      await Task.yield()
      return await half + (await Task { end }.value)
    }
    let (total, calls) = try await withRecordedCalls(
      of: "swift_task_create", "swift_task_switch", "swift_task_dealloc", "swift_asyncLet_begin",
      "swift_asyncLet_get", "swift_asyncLet_finish"
    ) { recording in
      var total = 0
      for _ in 0..<10 { total += await sum(below: 1024) }
      return (total, recording.calls)
    }
    #expect(total == 10 * 2047)
    #expect(calls.count { $0.function.hasPrefix("swift_task_") } > 100)
  }

  /// Leftovers in registers that the function does not take do not count.
  @Test func equalityIsByWhatTheCallTakes() throws {
    // Loaded, so that its calls of `small` can be recorded.
    let _: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    try withRecordedCalls(of: "close", "open", "small") { recording in
      _ = [close(-1), close(-2), close(-1)]
      let path = "/no/such/file".utf8CString
      path.withUnsafeBufferPointer { _ = open($0.baseAddress!, O_RDONLY) }
      _ = Array(path).withUnsafeBufferPointer { open($0.baseAddress!, O_RDONLY) }
      let calls = recording.calls
      #expect(calls[0] == calls[2] && calls[0] != calls[1] && calls[0].words != [])
      #expect(calls[3] == calls[4] && Set(calls).count == 3)
      #expect(calls[0].arguments.count == 1 && calls[3].arguments == [UInt64(O_RDONLY)])
    }
  }

  /// A caller may leave anything in the upper half of an int's register.
  @Test func leftoversOfNarrowArguments() throws {
    let call = try TypedCalls.function("call_close_word", as: (@convention(c) (Int) -> CInt).self)
    try withRecordedCalls(of: "close") { recording in
      _ = [call(1_000_000), call((7 << 32) + 1_000_000)]
      let calls = recording.calls
      try #require(calls.count == 2)
      #expect(calls[0] == calls[1] && calls[1].arguments == [1_000_000])
      #expect(calls[0].words[0] != calls[1].words[0])
    }
  }

  /// Each call is recorded once.
  @Test func functionThatIsNamedTwice() throws {
    try withRecordedCalls(of: "getppid", "close", "getppid") { recording in
      _ = getppid()
      #expect(recording.calls.map(\.function) == ["getppid"])
    }
  }

  /// The function itself may cope with them: `open` fails, and `strndup` reads no further than told.
  @Test func textsThatCannotBeRead() throws {
    let page = Int(getpagesize())
    let memory = try #require(
      mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(memory, 2 * page) }
    memset(memory, 0x61, page)
    mprotect(memory + page, page, PROT_NONE)
    let end = (memory + page - 3).assumingMemoryBound(to: CChar.self)
    try withRecordedCalls(of: "open", "strndup") { recording in
      let nowhere = try #require(UnsafePointer<CChar>(bitPattern: 16))
      #expect(open(nowhere, O_RDONLY) == -1 && errno == EFAULT)
      #expect(open(end, O_RDONLY) == -1 && errno == EFAULT)
      for count in [3, 2, 0] { free(strndup(end, count)) }
      free(strndup("text", 100))
      #expect(recording.calls.map(\.texts) == [[], [], ["aaa"], ["aa"], [""], ["text"]])
    }
  }

  @Test func floatingPointArguments() throws {
    let call = try TypedCalls.function("call_numbers", as: (@convention(c) () -> Float).self)
    try withRecordedCalls(of: "numbers") { recording in
      _ = call()
      let recorded = try #require(recording.calls.first)
      #expect(recorded.doubles.count == 8 && recorded.doubles[1] == 2 && recorded.doubles[7] == 8)
      #expect(recorded.floats[0] == 1 && recorded.floats[6] == 7)
    }
  }

  @Test func whoCalled() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    try withRecordedCalls(of: "small", "getppid", reach: .thread) { recording in
      _ = [call(), call(), getppid()]
      let calls = recording.calls
      #expect(calls[0].image?.hasSuffix("/libtyped-calls.so") == true)
      #expect(calls[2].image?.contains("RebindPackageTests") == true)
      #expect(Set(calls.map(\.thread)).count == 1 && calls[0].thread > 0)
    }
  }

  @Test func results() throws {
    let callNumbers = try TypedCalls.function("call_numbers", as: (@convention(c) () -> Float).self)
    let callIntegers = try TypedCalls.function(
      "call_integers", as: (@convention(c) () -> Double).self)
    let callSmall: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    try withRecordedCalls(of: "open", "numbers", "integers", "small", "getppid", "strdup") {
      recording in
      let descriptor = open("/etc/hostname", O_RDONLY)
      defer { close(descriptor) }
      _ = open("/no/such/file", O_RDONLY)
      #expect(errno == ENOENT)
      let (numbers, integers, small) = (callNumbers(), callIntegers(), callSmall())
      let text = strdup("x")
      defer { free(text) }
      let calls = recording.calls
      #expect(calls[0].result(as: CInt.self) == descriptor && descriptor >= 0)
      #expect(calls[1].result(as: CInt.self) == -1 && calls[1].errno == ENOENT)
      #expect(calls[2].result(as: Float.self) == numbers)
      #expect(calls[3].result(as: Double.self) == integers)
      #expect(calls[4].result(as: Int8.self).map(CInt.init) == small)
      #expect(calls[5].result(as: UnsafeMutablePointer<CChar>?.self) == .some(text))
      #expect(calls[5].result(as: Pair.self) == nil)
    }
  }

  /// Also of calls that reach a fault or a handler, and of several recordings.
  @Test func resultsOfNestedScopes() throws {
    try withRebinding("getsid", { (_, _: pid_t) -> pid_t in 7 }) {
      try withRecordedCalls(of: "getsid", reach: .process) { outer in
        try withRecordedCalls(of: "getsid") { inner in
          #expect(getsid(0) == 7)
          for recording in [inner, outer] {
            #expect(recording.calls.map { $0.result(as: pid_t.self) }.contains(7))
          }
        }
      }
    }
    try withFailing("close", errno: EIO) {
      try withRecordedCalls(of: "close") { recording in
        #expect(close(-1) == -1 && errno == EIO)
        #expect(recording.calls.map(\.errno) == [EIO])
      }
    }
  }

  /// A call of another thread has no result while it is under way, and may end after the recording.
  @Test(.notInCheck) func callsUnderWay() async throws {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (readEnd, writeEnd) = (ends[0], ends[1])
    defer { ends.forEach { close($0) } }
    var reader: Task<Int, Never>?
    // No other test calls it.
    let recording = try await withRecordedCalls(of: "readv", reach: .process) { recording in
      reader = Task.detached {
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { bytes in
          var place = iovec(iov_base: bytes.baseAddress, iov_len: 1)
          return readv(readEnd, &place, 1)
        }
      }
      while !recording.calls.contains(where: { $0.words[0] == UInt64(readEnd) }) {
        try await Task.sleep(for: .milliseconds(1))
      }
      return recording
    }
    func ofReader() -> RecordedCall? { recording.calls.first { $0.words[0] == UInt64(readEnd) } }
    let before = try #require(ofReader())
    #expect(before.result(as: Int.self) == nil && before.errno == nil)
    var byte: UInt8 = 1
    #expect(write(writeEnd, &byte, 1) == 1)
    #expect(await reader?.value == 1)
    #expect(ofReader()?.result(as: Int.self) == 1)
  }

  /// A stub between them and their caller would be taken for it.
  @Test func functionsThatLookAtTheirCaller() throws {
    try withRecordedCalls(of: "dlsym") { recording in
      #expect(dlsym(dlopen(nil, RTLD_NOW), "getppid") != nil)
      let call = try #require(recording.calls(of: "dlsym").first)
      #expect(call.result(as: UnsafeMutableRawPointer?.self) == nil && call.texts == ["getppid"])
    }
  }

  @Test func tasks() async throws {
    // No other test calls it.
    try await withRecordedCalls(of: "nice", reach: .process) { recording in
      let mine = withUnsafeCurrentTask { $0 != nil }
      async let child = nice(0)
      _ = [nice(0), nice(0), await child]
      onThreads(1) { _ = nice(0) }
      let calls = recording.calls
      #expect(mine && Set(calls.compactMap(\.task)).count >= 2)
      #expect(calls.contains { $0.task == nil })
    }
  }

  /// Swift allocates all the time.
  @Test func runtimesCallsAreApart() throws {
    let allocate: @convention(c) (Int) -> UnsafeMutableRawPointer? =
      try TypedCalls.function("allocate")
    try withRecordedCalls(of: "malloc", "strdup") { recording in
      let texts = (0..<20).map { "text number \($0), not small at all" }
      free(allocate(10))
      free(strdup("x"))
      #expect(texts.count == 20 && recording.callsOfRuntime.count >= 20)
      #expect("\(recording)".hasSuffix(" calls of Swift's runtime"))
      // The last one is strdup's own.
      #expect(recording.calls.map(\.description) == ["malloc(10)", #"strdup("x")"#, "malloc(2)"])
      #expect(recording.calls(of: "malloc").map(\.arguments) == [[10], [2]])
    }
  }

  @Test func ofNothing() throws {
    let recording = try withRecordedCalls { $0 }
    #expect(recording.calls.isEmpty && "\(recording)" == "no calls")
  }

  /// Pointers in hexadecimal, and nothing that another argument could be taken for.
  @Test func descriptions() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    try withRecordedCalls(of: "read", "kill", "setenv", "lseek", "small") { recording in
      var byte: UInt8 = 0
      _ = [read(-1, &byte, 1), Int(kill(0, -1)), Int(setenv(nil, "x", 1))]
      _ = lseek(-1, -5, SEEK_END)
      _ = call()
      let texts = recording.calls.map(\.description)
      #expect(texts[0].wholeMatch(of: /read\(-1, 0x[0-9a-f]+, 1\)/) != nil)
      #expect(texts.dropFirst() == ["kill(0, -1)", #"setenv("x")"#, "lseek(-1, -5, 2)", "small()"])
    }
  }

  /// Below a handler, what its original is called with is recorded.
  @Test func belowAHandler() throws {
    try withRecordedCalls(of: "close") { recording in
      try withRebinding("close", { (original, descriptor: CInt) -> CInt in original(-5) }) {
        #expect(close(-1) == -1)
      }
      #expect(recording.calls.map { CInt(truncatingIfNeeded: $0.words[0]) } == [-5])
    }
  }
}
