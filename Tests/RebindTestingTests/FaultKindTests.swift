import RebindTesting
import TestSupport

/// The results of calls that are struck, and the calls that are.
@Suite(.measured) struct FaultKindTests {
  @Test func floatingPointNumbersOfBothSizes() throws {
    let callNumbers = try TypedCalls.function("call_numbers", as: (@convention(c) () -> Float).self)
    let callIntegers = try TypedCalls.function(
      "call_integers", as: (@convention(c) () -> Double).self)
    try withFailing("numbers", returning: .value(Float(1.5))) { #expect(callNumbers() == 1.5) }
    try withFailing("integers", returning: 1.5) { #expect(callIntegers() == 1.5) }
  }

  @Test func integersByTheirType() throws {
    let callSmall: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    let callNegate = try TypedCalls.function("call_negate", as: (@convention(c) () -> Bool).self)
    try withFailing("small", returning: .value(Int8(-7))) { #expect(callSmall() == -7) }
    try withFailing("negate", returning: true) { #expect(callNegate()) }
    try withFailing("getppid", returning: .value(EAI_AGAIN)) { #expect(getppid() == EAI_AGAIN) }
    try withFailing("mix", returning: .value(Colour(rawValue: 3))) {
      let callMix: TypedCalls.Int32Caller = try TypedCalls.function("call_mix")
      #expect(callMix() == 3)
    }
  }

  @Test func pointers() throws {
    let allocate: @convention(c) (Int) -> UnsafeMutableRawPointer? =
      try TypedCalls.function("allocate")
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
    defer { memory.deallocate() }
    try withFailing("malloc", returning: .value(memory)) { #expect(allocate(10) == memory) }
    let none: UnsafeMutableRawPointer? = nil
    try withFailing("malloc", returning: .value(none)) { #expect(allocate(10) == nil) }
    try withFailing("malloc", returning: nil) { #expect(allocate(10) == nil) }
  }

  @Test func structures() throws {
    let callSwap = try TypedCalls.function("call_swap", as: (@convention(c) () -> Int64).self)
    try withFailing("swap", returning: .value(Pair(whole: 11, part: 0))) {
      #expect(callSwap() == 11)
    }
    let callMove = try TypedCalls.function(
      "call_move", as: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
    let expected = Rectangle(x: 4, y: 3, width: 2, height: 1)
    var result = Rectangle(x: 0, y: 0, width: 0, height: 0)
    try withFailing("move", returning: .value(expected)) {
      withUnsafeMutableBytes(of: &result) { callMove($0.baseAddress!) }
    }
    #expect(result == expected)
    let error = #expect(throws: RebindTestingError.self) {
      try withFailing("first", returning: .value(Large(values: (0, 0, 0, 0, 0)))) {}
    }
    #expect(error?.code == .structureTooLarge)
  }

  /// Functions that return the error code leave `errno` alone.
  @Test func usualFailures() throws {
    try withFailing("pthread_create", errno: EAGAIN) {
      var thread = pthread_t()
      errno = 0
      #expect(pthread_create(&thread, nil, { _ in nil }, nil) == EAGAIN && errno == 0)
    }
    try withFailing("posix_memalign") {
      var memory: UnsafeMutableRawPointer?
      #expect(posix_memalign(&memory, 16, 16) == ENOMEM)
    }
    try withFailing("getaddrinfo") {
      #expect(getaddrinfo("localhost", nil, nil, nil) == EAI_FAIL)
    }
    try withFailing("getaddrinfo", errno: EMFILE) {
      var list: UnsafeMutablePointer<addrinfo>?
      #expect(getaddrinfo("localhost", nil, nil, &list) == EAI_SYSTEM && errno == EMFILE)
    }
    try withFailing("fopen", errno: ENOENT) { #expect(fopen("/etc/hostname", "r") == nil) }
    try withFailing("close", errno: EIO) { #expect(close(-1) == -1 && errno == EIO) }
    try withFailing("inet_ntop", errno: ENOSPC) {
      var address = in_addr()
      var text = [CChar](repeating: 0, count: 16)
      #expect(inet_ntop(AF_INET, &address, &text, 16) == nil && errno == ENOSPC)
    }
    try withFailing("if_nametoindex", errno: ENODEV) { #expect(if_nametoindex("lo") == 0) }
    try withFailing("sigwait") {
      var (signals, signal) = (sigset_t(), CInt(0))
      #expect(sigwait(&signals, &signal) == EINVAL)
    }
  }

  @Test(arguments: [
    (FaultCalls.all, [1, 2, 3, 4, 5, 6]), (3.faultCalls, [3]),
    ((4...).faultCalls, [4, 5, 6]), ((2...3).faultCalls, [2, 3]), (.every(2), [2, 4, 6]),
    (.random(0, seed: 1), []),
    (.random(1, seed: 1), [1, 2, 3, 4, 5, 6]),
  ])
  func calls(_ calls: FaultCalls, expected: [Int]) throws {
    let struck = try withFailing("getppid", returning: -9, onCall: calls, mayNotStrike: true) {
      (1...6).filter { _ in getppid() == -9 }
    }
    #expect(struck == expected)
  }

  /// The same for a seed, others for another one, and as many as the chance says.
  @Test func chance() throws {
    func struck(_ seed: UInt64) throws -> [Int] {
      try withFailing("getppid", returning: -9, onCall: .random(0.25, seed: seed)) {
        (1...1000).filter { _ in getppid() == -9 }
      }
    }
    let first = try struck(1)
    #expect(try struck(1) == first && struck(2) != first)
    #expect((200...300).contains(first.count))
  }

  @Test func resultsInOrder() throws {
    let parent = getppid()
    try withFailing("getppid", returning: .inOrder(1, .original, 3)) {
      #expect([getppid(), getppid(), getppid(), getppid()] == [1, parent, 3, 3])
    }
    try withFailing("close", returning: .inOrder(0, .usual), errno: EIO) {
      #expect([close(-1), close(-1)] == [0, -1])
    }
  }

  // MARK: - Faults as values

  @Test func severalAtOnce() throws {
    let faults = [Fault("getppid", returning: 5), Fault("getpgid", errno: EPERM, onCall: 2...)]
    try withFailing(faults[0], faults[1]) { active in
      #expect(getppid() == 5 && getpgid(0) > 0 && getpgid(0) == -1 && errno == EPERM)
      #expect(
        active.map(\.symbol) == ["getppid", "getpgid"] && active.map(\.strikes) == [1, 1])
    }
    try withFailing(faults[0], reach: .process) { #expect(getppid() == 5) }
  }

  /// Of two faults of a function the last one is asked first.
  @Test func severalOfAFunction() throws {
    try withFailing(
      Fault("open", errno: EACCES), Fault("open", errno: ENOENT, when: .path("/etc/hosts"))
    ) {
      #expect(open("/etc/hosts", O_RDONLY) == -1 && errno == ENOENT)
      #expect(open("/etc/passwd", O_RDONLY) == -1 && errno == EACCES)
    }
  }

  @Test(
    .hasIssue("Fault(getpgid fails with EPERM) struck 0 of 1 time", severity: .error),
    .failing(Fault("getppid", returning: 5), Fault("getpgid", errno: EPERM)))
  func oneOfSeveralStrikesNothing() { #expect(getppid() == 5) }

  @Test func awaitedBodies() async throws {
    let strikes = try await withFailing(Fault("getppid", returning: 5)) { active in
      await Task.yield()
      return (getppid(), active[0].strikes)
    }
    #expect(strikes == (5, 1))
  }

  @Test(arguments: [
    (Fault("open"), "open fails"), (Fault("open", errno: ENOENT), "open fails with ENOENT"),
    (Fault("open", errno: ENOENT, onCall: 3), "open fails with ENOENT on call 3"),
    (Fault("open", errno: 4711), "open fails with errno 4711"),
    (Fault("pthread_create", errno: EAGAIN), "pthread_create fails with EAGAIN"),
    (Fault("getaddrinfo"), "getaddrinfo fails"),
    (Fault("open", onCall: .random(0.1, seed: 7)), "open fails on 10.0 % of the calls (seed 7)"),
    (Fault("open", onCall: 0), "open fails on calls that cannot be"),
    (Fault("read", returning: .inOrder()), "read has no results"),
    (Fault("getppid", returning: 5, onCall: 2...4), "getppid returns 5 on calls 2 to 4"),
    (Fault("cbrt", returning: 1.5, onCall: .every(2)), "cbrt returns 1.5 on call 2 and every 2"),
    (Fault("read", returning: .atMost(4)), "read goes on with at most 4"),
    (
      Fault("close", returning: .inOrder(0, .usual), errno: EIO),
      "close returns 0, then fails with EIO"
    ),
    (
      Fault("open", errno: EACCES, when: .path(prefix: "/etc") && .argument(1, has: O_CREAT)),
      "open fails with EACCES when the path begins with \"/etc\" and argument 1 has flags 0x40"
    ),
    (
      Fault("kill", when: .argument(1, in: CInt(-1)...9) && .called(by: "libfoo.so")),
      "kill fails when argument 1 is -1 to 9 and libfoo.so calls"
    ),
    (Fault("close", after: .milliseconds(1500)), "close fails, late by 1.5 seconds"),
  ])
  func readsWell(fault: Fault, text: String) {
    #expect(fault.description.hasPrefix("Fault(\(text)"))
  }

  // MARK: - Conditions

  @Test func paths() throws {
    try withFailing("open", errno: EACCES, when: .path(prefix: "/etc/")) {
      #expect(open("/etc/hosts", O_RDONLY) == -1 && errno == EACCES)
      let other = open("/proc/self/maps", O_RDONLY)
      #expect(other >= 0)
      close(other)
    }
    try withFailing("openat", errno: EACCES, when: .path("/etc/hosts")) {
      #expect(openat(AT_FDCWD, "/etc/hosts", O_RDONLY) == -1 && errno == EACCES)
    }
  }

  private static let hosts = "/etc/hosts"

  /// Which of some calls of open are struck.
  private func struck(when condition: FaultCondition) throws -> [String] {
    try withFailing("open", errno: EACCES, when: condition, mayNotStrike: true) {
      [("/etc/passwd", O_RDONLY), (Self.hosts, O_RDONLY), (Self.hosts, O_RDONLY | O_CLOEXEC)]
        .compactMap { path, flags in
          let descriptor = open(path, flags)
          guard descriptor >= 0 else { return path }
          close(descriptor)
          return nil
        }
    }
  }

  @Test func textConditions() throws {
    #expect(try struck(when: .argument(0, is: Self.hosts)) == [Self.hosts, Self.hosts])
    #expect(try struck(when: .argument(0, is: "/etc")) == [])
    #expect(try struck(when: .argument(0, hasPrefix: "/etc/p")) == ["/etc/passwd"])
  }

  /// The argument is no text: the directory's number of openat, and the start of a page that
  /// cannot be read.
  @Test func textConditionsOfOtherArguments() throws {
    let call = try TypedCalls.function(
      "call_openat", as: (@convention(c) (UnsafeRawPointer) -> CInt).self)
    func strikes(_ condition: FaultCondition, at path: UnsafeRawPointer) throws -> Int {
      try withFailing("openat", errno: EACCES, when: condition, mayNotStrike: true) { fault in
        close(call(path))
        #expect(fault.counts.inReach == 1)
        return fault.strikes
      }
    }
    #expect(try strikes(.argument(0, hasPrefix: "/etc"), at: "/etc/hosts") == 0)
    let pages = try #require(
      mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(pages, 8192) }
    try #require(mprotect(pages + 4096, 4096, PROT_NONE) == 0)
    let text = pages + 4092
    memcpy(text, "/etc", 4)
    #expect(try strikes(.argument(1, is: "/etc/hosts"), at: text) == 0)
    #expect(try strikes(.argument(1, hasPrefix: "/etc"), at: text) == 1)
  }

  @Test func flagConditions() throws {
    #expect(try struck(when: .argument(1, has: O_CLOEXEC)) == [Self.hosts])
    #expect(
      try struck(when: .argument(0, is: "/etc/passwd") && .argument(1, has: O_CLOEXEC)) == [])
    #expect(try struck(when: .argument(1, is: O_RDONLY)) == ["/etc/passwd", Self.hosts])
    // The highest bit of an `int` is not those above it, too.
    let highest = CInt.min
    try withFailing("getpgid", when: .argument(0, has: highest)) { fault in
      #expect([getpgid(highest), getpgid(0)] != [])
      #expect(fault.strikes == 1)
    }
  }

  @Test func integerConditions() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")  // small(-3)
    func isStruck(_ condition: FaultCondition) throws -> Bool {
      try withFailing("small", returning: .value(Int8(1)), when: condition, mayNotStrike: true) {
        call() == 1
      }
    }
    #expect(try isStruck(.argument(0, is: Int8(-3))) && !isStruck(.argument(0, is: Int8(3))))
    #expect(
      try isStruck(.argument(0, in: Int8(-4)...2)) && !isStruck(.argument(0, in: Int8(0)...9)))
    #expect(try isStruck(.argument(0, is: UInt8(253))))
    #expect(try isStruck(.argument(0, in: UInt8(200)...255)))
  }

  @Test func callerConditions() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    func isStruck(_ condition: FaultCondition) throws -> Bool {
      try withFailing("small", returning: .value(Int8(1)), when: condition, mayNotStrike: true) {
        call() == 1
      }
    }
    #expect(try isStruck(.called(by: "libtyped-calls.so")))
    #expect(try !isStruck(.called(by: "libc.so.6")))
    // Those that the condition leaves out are not counted.
    try withFailing(
      "getppid", returning: 1, onCall: 1, when: .called(by: "libc.so.6"), mayNotStrike: true
    ) { fault in
      #expect(getppid() != 1 && fault.counts.inReach == 1 && fault.strikes == 0)
    }
  }

  /// Linux does the same.
  @Test func aCloseThatFailsCloses() throws {
    // Nobody else is given this number once it is free.
    let descriptor = fcntl(2, F_DUPFD_CLOEXEC, 500)
    try #require(descriptor >= 500)
    try withFailing("close", errno: EIO) {
      errno = 0
      #expect(close(descriptor) == -1 && errno == EIO)
    }
    #expect(fcntl(descriptor, F_GETFD) == -1)
  }

  // MARK: - What goes on

  @Test func shortCounts() throws {
    try withFailing("read", returning: .atMost(3)) {
      let descriptor = open("/etc/passwd", O_RDONLY)
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 16)
      #expect(read(descriptor, &bytes, 16) == 3 && bytes[3] == 0)
      #expect(read(descriptor, &bytes, 2) == 2)
    }
    let error = #expect(throws: RebindTestingError.self) {
      try withFailing("getppid", returning: .atMost(3)) {}
    }
    #expect(error?.code == .noCount)
    #expect(
      error?.description
        == "cannot rebind getppid: it is not known which argument is its count; write a handler")
  }

  @Test func delays() throws {
    let parent = getppid()
    let clock = ContinuousClock()
    // On a busy machine any call may take long, but not each.
    var shortest = Duration.seconds(1)
    for _ in 0..<20 where shortest >= .milliseconds(30) {
      try withFailing(
        "getppid", returning: .original, onCall: 2, after: .milliseconds(30)
      ) {
        var seen: pid_t = 0
        shortest = min(shortest, clock.measure { seen = getppid() })
        #expect(seen == parent)
        #expect(clock.measure { seen = getppid() } >= .milliseconds(30) && seen == parent)
      }
    }
    #expect(shortest < .milliseconds(30))
    try withFailing("getppid", returning: 7, after: .milliseconds(30)) {
      var seen: pid_t = 0
      #expect(clock.measure { seen = getppid() } >= .milliseconds(30) && seen == 7)
    }
  }
}
