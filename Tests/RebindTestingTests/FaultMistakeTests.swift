import RebindTesting
import TestSupport

/// Faults that no call can meet, and results that a function cannot have.
@Suite(.measured) struct FaultMistakeTests {
  private func error(
    _ symbol: String = "getppid", returning result: FaultResult = .usual,
    onCall: FaultCalls = .all, when condition: FaultCondition = .always
  ) throws -> RebindTestingError {
    try #require(throws: RebindTestingError.self) {
      try withFailing(symbol, returning: result, onCall: onCall, when: condition) {
        Issue.record("body ran")
      }
    }
  }

  @Test(arguments: [
    ((1..<1).faultCalls, "the range of calls 1..<1 is empty"),
    (0.faultCalls, "calls are counted from 1, not from 0"), ((-3).faultCalls, "not from -3"),
    ((0...).faultCalls, "from 1, not from 0"), ((0...Int.max).faultCalls, "from 1, not from 0"),
    ((Int.min...2).faultCalls, "from 1"), (.every(0), "every n-th call is a call from 1 on, not 0"),
    (.random(1.5, seed: 0), "a chance is from 0 to 1, not 1.5"),
    (.random(.nan, seed: 0), "a chance is from 0 to 1, not nan"),
  ])
  func calls(_ calls: FaultCalls, reason: String) throws {
    let error = try error(onCall: calls)
    #expect(error.code == .invalidFault && "\(error)".contains(reason))
  }

  /// Traits are made before any test runs: theirs is an issue of their test.
  @Test(
    .hasIssue("calls are counted from 1, not from 0", severity: .error),
    .failing("getppid", onCall: 0))
  func trait() { Issue.record("body ran") }

  @Test func conditions() throws {
    func reason(_ condition: FaultCondition) throws -> String {
      let error = try error(when: condition)
      #expect(error.code == .invalidFault)
      return error.detail
    }
    #expect(try reason(.argument(9, is: CInt(1))).hasPrefix("argument 9 is in no register"))
    #expect(try reason(.argument(-1, is: "")).hasPrefix("argument -1 is in no register"))
    #expect(try reason(.argument(0, is: Int128(1))) == "an argument has at most 64 bits")
    #expect(
      try reason(.called(by: "libnobody.so"))
        == "no loaded image is libnobody.so: load it before the fault begins")
    #expect(
      try reason(.path("/etc"))
        == "which argument of getppid is its path is not known here: write .argument(index, is: …) "
        + "or .argument(index, hasPrefix: …)")
  }

  @Test(arguments: [
    (Fault("read", returning: .atMost(4), errno: EINTR), "so they have no errno: leave it out"),
    (Fault("read", errno: 0), "errno 0 is no error: leave it out"),
  ])
  func errorCodes(fault: Fault, reason: String) throws {
    let error = try #require(throws: RebindTestingError.self) { try withFailing(fault) {} }
    #expect(error.code == .invalidFault && error.detail.hasSuffix(reason))
  }

  @Test func results() throws {
    func detail(_ symbol: String, _ result: FaultResult) throws -> String {
      let error = try error(symbol, returning: result)
      #expect(error.code == .invalidFault)
      return error.detail
    }
    #expect(try detail("read", .atMost(-1)) == "a count is not negative, as -1 is")
    #expect(try detail("read", .inOrder()) == "results in order are one at least")
    #expect(
      try detail("read", .inOrder(.inOrder(1), 2))
        == "a result in order is no list of results itself")
  }

  /// A number is in another register than an integer, and a float's bits are not a double's.
  @Test(arguments: ["open", "close", "fopen", "getenv", "fread", "getaddrinfo", "pthread_create"])
  func numberOfAFunctionOfIntegers(symbol: String) throws {
    let error = try error(symbol, returning: 1.5)
    #expect(error.code == .wrongResult)
    #expect(error.detail == "it returns an integer or a pointer, and the fault a double")
  }

  @Test func resultsOfMathematics() throws {
    // So that some image calls them.
    func calls(_ number: Double) -> (Double, Float) { (cbrt(number), cbrtf(Float(number))) }
    try #require(calls(8) == (2, 2))
    #expect(
      try error("cbrt", returning: 1).detail.hasSuffix(
        "an integer or a pointer: write .value(Double(…))"))
    #expect(
      try error("cbrt", returning: .value(Float(1))).detail
        == "it returns a double, and the fault a float: write .value(Double(…))")
    #expect(
      try error("cbrtf", returning: 1.5).detail
        == "it returns a float, and the fault a double: write .value(Float(…))")
    try withFailing("cbrt", returning: 1.5) { #expect(calls(8) == (1.5, 2)) }
    try withFailing("cbrtf", returning: .value(Float(1.5))) { #expect(calls(8) == (2, 1.5)) }
    // A usual failure is no number.
    try withFailing("cbrt", errno: EDOM) { #expect(calls(8).0.isNaN && errno == EDOM) }
    try withFailing("cbrtf") { #expect(calls(8).1.isNaN) }
  }

  @Test func openRangesReadWell() throws {
    #expect((2...Int.max).faultCalls.description == "call 2 and all after it")
    try withFailing("getppid", onCall: 2...Int.max, mayNotStrike: true) { fault in
      let text = try #require(fault.shortfall)
      #expect(text.hasPrefix("the fault of getppid struck 0 of 1 time (call 2 and all after it): "))
    }
  }
}
