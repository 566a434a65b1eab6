import RebindTesting
import TestSupport

/// Calls that are made to fail.
@Suite(.measured) struct FailingTests {
  @Test func everyCall() throws {
    try withFailing("open", errno: EMFILE) {
      for _ in 0..<3 {
        errno = 0
        let descriptor = open("/etc/os-release", O_RDONLY)
        #expect(descriptor == -1 && errno == EMFILE)
      }
    }
  }

  /// It prints, and writes the backtrace of a crash, through slots of its own.
  @Test func swiftsRuntimeGoesOn() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      try withFailing("fwrite", returning: 0, mayNotStrike: true) { print("printed") }
    }
    let output = try #require(result?.standardOutputContent)
    #expect(String(decoding: output, as: UTF8.self).contains("printed"))
  }

  @Test func pointersAreNullUnlessToldOtherwise() throws {
    try withFailing("fopen", errno: ENOENT) {
      #expect(fopen("/etc/os-release", "r") == nil && errno == ENOENT)
    }
    let one = OpaquePointer(bitPattern: 1)
    try withFailing("fopen", returning: 1) {
      #expect(OpaquePointer(fopen("/etc/os-release", "r")) == one)
    }
  }

  @Test func oneCall() throws {
    try withFailing("getppid", returning: 0, onCall: 2) {
      #expect([getppid(), getppid(), getppid()].map { $0 == 0 } == [false, true, false])
    }
  }

  /// The other calls keep all their arguments, also those in vector registers and on
  /// the stack.
  @Test func otherCallsAreLeftAlone() throws {
    let callIntegers = try TypedCalls.function(
      "call_integers", as: (@convention(c) () -> Double).self)
    let callNumbers = try TypedCalls.function("call_numbers", as: (@convention(c) () -> Float).self)
    let expected = callIntegers()
    let seen = try withFailing("integers", returning: 1.5, onCall: 2) {
      [callIntegers(), callIntegers(), callIntegers()]
    }
    #expect(seen == [expected, 1.5, expected])
    let number = try withFailing("numbers", onCall: 2, mayNotStrike: true) { callNumbers() }
    #expect(number == 55)
  }

  @Test func onTopOfAHandlerAndBelow() throws {
    try withRebinding("getppid", { original in original() + 1 as pid_t }) {
      try withFailing("getppid", returning: 70, onCall: 1) {
        #expect(getppid() == 70)
        try withRebinding("getppid", { original in original() + 100 }) {
          #expect(getppid() > 100)
        }
      }
    }
    try withFailing("getppid", returning: 70) {
      try withRebinding("getppid", { original in original() + 5 as pid_t }) {
        #expect(getppid() == 75)
      }
    }
  }

  @Test func suspendingBody() async throws {
    try await withFailing("open", errno: EACCES) {
      await Task.yield()
      let descriptor = open("/etc/os-release", O_RDONLY)
      #expect(descriptor == -1)
    }
  }

  /// The deinit runs without the values of the task that gives the object up.
  @Test @MainActor func anIsolatedDeinitIsOutOfReach() async throws {
    @MainActor final class Asking {
      static var answer: pid_t = 0
      isolated deinit { Self.answer = getppid() }
    }
    @MainActor final class Holder { var held: Asking? = Asking() }
    let holder = Holder()
    let answers = try await withFailing("getppid", returning: 7) {
      let former = getppid()
      holder.held = nil
      return [former, getppid()]
    }
    #expect(answers == [7, 7] && Asking.answer > 0 && Asking.answer != 7)
  }

  /// Swift's own allocations are neither counted nor refused.
  @Test func malloc() async throws {
    let allocate: @convention(c) (Int) -> UnsafeMutableRawPointer? =
      try TypedCalls.function("allocate")
    try await withFailing("malloc", returning: nil, errno: ENOMEM) {
      let texts = await withTaskGroup { group in
        for number in 0..<20 { group.addTask { "text number \(number), not small at all" } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(texts.count == 20)
      errno = 0
      let address = allocate(10)
      #expect(address == nil && errno == ENOMEM)
    }
  }
}
