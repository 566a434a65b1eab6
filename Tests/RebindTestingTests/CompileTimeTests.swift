import TestSupport

/// The code that the compiler has to accept, and to refuse.
@Suite(.measured) struct CompileTimeTests {
  @Test func typesOfCAreAccepted() throws {
    let result = try compile(
      """
      try withRebinding("open", { (original, path: UnsafePointer<CChar>, flags: CInt) -> CInt in
        original(path, flags)
      }) {}
      """)
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }

  @Test(
    .notInCheck,
    arguments: [
      #"try withRebinding("getuid", like: getuid) { 0 } body: {}"#,
      #"try withRebinding("getuid", like: getuid) { $0() + 1 } body: {}"#,
      #"try withRebinding("close", like: close) { descriptor in -1 } body: {}"#,
      #"try withRebinding("close", like: close) { original, file in original(file) } body: {}"#,
      #"try withRebinding("open", like: open) { (path, flags, mode: mode_t) in -1 } body: {}"#,
      #"try withRebinding("open", like: open) { (path, flags) in -1 } body: {}"#,
      #"try withRebinding("exit", like: exit) { status in fatalError() } body: {}"#,
      #"try withRebinding("free", like: free) { original, memory in original(memory) } body: {}"#,
      #"try await withRebinding("getuid", like: getuid) { 0 } body: { await Task.yield() }"#,
      #"var n = 0; try withRebinding("getuid", like: getuid, reach: .thread) { n += 1; return 0 } body: {}"#,
      #"let reach: Reach = .process; try withFailing("getuid", reach: reach) {}"#,
      #"_ = try countingAllocations(reach: .thread) { try withFailing(Fault("getuid"), reach: .thread) {} }"#,
    ])
  func typesOfFunctionsAreTaken(statement: String) throws {
    let result = try compile(statement)
    #expect(result.errorOutput.isEmpty || result.succeeded, "\(result.errorOutput)")
    #expect(result.succeeded, "\(result.errorOutput)")
  }

  @Test(arguments: [
    (
      #"try withRebinding("close", like: close) { (descriptor: Double) -> CInt in -1 } body: {}"#,
      "error: "
    ),
    (#"try withRebinding("getuid", like: getuid) { "root" } body: {}"#, "error: "),
    (#"try withRebinding("getuid", like: getuid) { (a, b, c) in 0 } body: {}"#, "error: "),
    // A body that suspends may go on on another thread.
    (#"try await withFailing("close", reach: .thread) { await Task.yield() }"#, "may suspend"),
    (#"try await countingAllocations(reach: .thread) { await Task.yield() }"#, "may suspend"),
    (#"let trait: FailingTrait = .failing("close", reach: .thread)"#, "may suspend"),
    (#"let reach: Reach<AnyBody> = .thread"#, "may suspend"),
    (#"try withRebinding("getuid", { (_) -> (CInt, CInt) in (1, 2) }) {}"#, "(CInt, CInt)"),
    (#"try withRebinding("open", { (_) -> String in "" }) {}"#, "'String'"),
    (
      #"try withRebinding("open", { (_) -> CInt in throw CancellationError() }) {}"#,
      "throwing function"
    ),
  ])
  func isRefused(statement: String, diagnostic: String) throws {
    let result = try compile(statement)
    #expect(!result.succeeded && result.errorOutput.contains("error: "))
    #expect(result.errorOutput.contains(diagnostic), "\(result.errorOutput)")
  }

  /// Tasks of the body may run a handler at the same time.
  @Test(arguments: [
    "try withRebinding(\"close\", { (_, file: CInt) -> CInt in calls += 1; return 0 }) {}",
    "try withRebinding(\"close\", like: close) { _ in calls += 1; return 0 } body: {}",
    "try await withRebinding(\"close\", like: close) { _ in calls += 1; return 0 } body: { await Task.yield() }",
  ])
  func handlersThatRaceAreRefused(statement: String) throws {
    let result = try compile("func test() async throws {\nvar calls = 0\n\(statement)\n}")
    #expect(!result.succeeded)
    #expect(
      result.errorOutput.contains("captured var 'calls' in concurrently-executing code"),
      "\(result.errorOutput)")
  }

  @Test(arguments: ["String", "[Int]", "(Int, Int)", "any Error"])
  func argumentsOfOtherTypesAreRefused(type: String) throws {
    let result = try compile(
      "try withRebinding(\"open\", { (_, argument: \(type)) -> CInt in 1 }) {}")
    #expect(!result.succeeded)
    #expect(
      result.errorOutput.contains(
        /requires that '.*' conform to 'CValue'|type '.*' cannot conform to 'CValue'/))
    #expect(result.errorOutput.contains("'\(type)'"))
  }
}

private func compile(_ source: String) throws -> ProcessResult {
  try compileSwift("import Glibc\nimport RebindTesting\n\(source)")
}
