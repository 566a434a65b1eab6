import RebindTesting
import TestSupport

/// A function that cannot be rebound is refused before anything has changed.
@Suite(.measured) struct RefusalTests {
  @Test func largeStructure() throws {
    let error = #expect(throws: RebindTestingError.self) {
      try withRebinding("first", { (_, _: Large) -> Int64 in 1 }) { Issue.record("body ran") }
    }
    #expect(error?.code == .structureTooLarge)
    #expect(error?.description.contains("Large has more than 32 bytes") == true)
    let call = try TypedCalls.function("call_first", as: (@convention(c) () -> Int64).self)
    #expect(call() == 6)
  }

  @Test func fieldsThatDoNotFit() throws {
    let error = #expect(throws: RebindTestingError.self) {
      try withRebinding("getppid", { _ -> Misstated in Misstated(first: 1, second: 2) }) {}
    }
    #expect(error?.code == .wrongFields)
    #expect(error?.description.contains("cFields of Misstated") == true)
  }

  /// A function's own type says that a tuple is bitwise copyable, but not how C passes it.
  @Test func resultThatIsNoValueOfC() throws {
    let error = try #require(throws: RebindTestingError.self) {
      try withRebinding("getppid", like: { (CInt(1), CInt(2)) }) {
        (3, 4)
      } body: {
        Issue.record("body ran")
      }
    }
    #expect(error.code == .unknownResult)
    #expect(error.description.contains("it returns (Int32, Int32), which is no CValue"))
  }

  @Test(arguments: ["rebind_no_such_function", "", "getppid\0x"])
  func unknownSymbol(name: String) {
    let error = #expect(throws: RebindTestingError.self) {
      try withRebinding(name, { _ -> CInt in 1 }) { Issue.record("body ran") }
    }
    #expect(error?.code == (name.hasPrefix("rebind") ? .undefinedSymbol : .invalidName))
  }

  /// Later versions may add codes, so that they are printed by name.
  @Test func errorsAreSentences() throws {
    let error = try #require(throws: RebindTestingError.self) {
      try withRebinding("", { _ -> CInt in 1 }) {}
    }
    #expect("\(error)" == #"cannot rebind "": the name is empty"#)
    #expect("\(error.code)" == "invalidName")
    #expect("\(RebindTestingError.Code(rawValue: "later"))" == "later")
  }

  /// A rebinding without effect would let a test pass for no reason.
  @Test func symbolThatNobodyCalls() {
    let error = #expect(throws: RebindTestingError.self) {
      try withRebinding("getnetgrent", { _ -> CInt in 1 }) { Issue.record("body ran") }
    }
    #expect(error?.code == .neverCalled)
  }

  /// A sanitizer's functions are in the program: a clock would go on, and a fault not strike.
  @Test(.inCore, arguments: ["address", "thread"])
  func functionOfASanitizer(sanitizer: String) throws {
    let program = try RebindProgram(
      """
      import RebindTesting

      func attempt(_ body: () throws -> Void) {
        do { try body() } catch { print(error) }
      }
      attempt { try withFailing("read") {} }
      attempt { try withFrozenTime(.zero) {} }
      attempt { _ = try sweepFaults(in: "read") {} }
      attempt { try withFailing("getppid", mayNotStrike: true) { print("body") } }
      """,
      modules: [
        "RebindTesting", "FaultVocabulary", "RebindCounting", "CRebindTesting", "CRebindStubs",
        "CRebindCounting",
        "CRebindReach", "CRebind",
      ],
      flags: ["-sanitize=\(sanitizer)"])
    let result = try program.run()
    let reason =
      "a sanitizer defines it in the program, whose own calls go through no slot; "
      + "run this test without the sanitizer"
    let lines = result.output.split(separator: "\n")
    #expect(result.succeeded && lines.count == 4, "\(result.errorOutput)")
    #expect(
      lines.first == "cannot rebind read: \(reason)" && lines.dropFirst(2).first == lines.first)
    #expect(lines.contains { $0.hasSuffix(reason) && !$0.contains(" read: ") })
    #expect(lines.last == "body")
  }

  /// A trait cannot do better, and cancels its test: with arguments each would count as passed else.
  @Test(.inCore) func traitsUnderASanitizer() throws {
    let program = try RebindProgram(
      """
      import Glibc
      import RebindTesting
      import Testing

      @Test(.failing("read")) func fault() { print("fault ran") }
      @Test(.frozenTime(.zero), arguments: 0..<2) func clock(number: Int) { print("clock ran") }
      @Test(.recordingCalls("read")) func recording() { print("recording ran") }
      @Test(.nonblocking) func pool() { print("pool ran") }
      @Test(.unlessSanitized) func skipped() { print("skipped ran") }
      @Test(.failing("getppid")) func others() { if getppid() == -1 { print("struck") } }
      await Testing.__swiftPMEntryPoint() as Never
      """,
      modules: [
        "RebindTesting", "FaultVocabulary", "RebindCounting", "CRebindTesting", "CRebindStubs",
        "CRebindCounting",
        "CRebindReach", "CRebind",
      ],
      flags: ["-sanitize=thread"])
    let result = try program.run()
    #expect(result.succeeded && result.output.contains("struck"), "\(result)")
    #expect(!result.output.contains(" ran"), "\(result.output)")
    let texts = result.output + result.errorOutput
    for (name, reason) in [
      ("fault", "run this test without the sanitizer"),
      ("clock", "run this test without the sanitizer"),
      ("recording", "run this test without the sanitizer"),
      ("pool", "run this test without the sanitizer"),
      ("skipped", "a sanitizer defines functions that the test rebinds"),
    ] {
      let line = texts.split(separator: "\n").first {
        $0.contains(" \(name)(") && $0.contains(reason)
      }
      #expect(line != nil, "\(name): \(texts)")
    }
  }

  /// Swift's own code calls them, with registers and effects that a stub does not keep.
  @Test(arguments: [
    "swift_retain", "swift_release_n", "swift_bridgeObjectRetain", "swift_nonatomic_release",
    "swift_unknownObjectRelease", "swift_allocObject", "swift_beginAccess", "swift_retain@V1",
  ])
  func functionsOfTheRuntime(name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      func expectRefusal(_ body: () throws -> Void) throws {
        let error = try #require(throws: RebindTestingError.self) { try body() }
        try #require(error.code == .runtimeFunction && error.symbol == name)
        try #require(error.description.hasSuffix("count its calls with RebindCounting"))
      }
      try expectRefusal { try withFailing(name, returning: nil) {} }
      try expectRefusal { try withRecordedCalls(of: name) { _ in } }
      try expectRefusal { try withRebinding(name, { _ -> Int in 0 }) {} }
      try expectRefusal { _ = try sweepFaults(in: name, returning: 0) {} }
      try expectRefusal { try withFailing(name, returning: nil, reach: .process) {} }
    }
  }

  /// The program would read the code of a stub as their contents.
  @Test(arguments: ["environ", "stdout", "stdout@V1"])
  func variables(name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      func expectRefusal(_ body: () throws -> Void) throws {
        let error = try #require(throws: RebindTestingError.self) { try body() }
        try #require(error.code == .variable)
        try #require("\(error)" == "cannot rebind \(name): it is a variable, not a function")
      }
      try expectRefusal { try withRecordedCalls(of: name) { _ in } }
      try expectRefusal { try withFailing(name, returning: nil) {} }
      try expectRefusal { try withRebinding(name, { _ -> CInt in 0 }) {} }
    }
  }

  /// In a library that dlsym does not find it in. The loader's error stays what it was.
  @Test func variableOfALocalLibrary() async throws {
    await #expect(processExitsWith: .success) {
      let builder = try FixtureBuilder(.gcc)
      let folder = builder.directory.url
      try Data("int rebind_local_variable = 7;\n".utf8)
        .write(to: folder.appending(path: "variable.c"))
      try Data(
        "extern int rebind_local_variable; int value(void) { return rebind_local_variable; }\n".utf8
      ).write(to: folder.appending(path: "reader.c"))
      for (name, flags) in [
        ("variable", []), ("reader", ["-L.", "-l:libvariable.so", "-Wl,-rpath,$ORIGIN"]),
      ] {
        try builder.compile(["-shared", "-fPIC", "\(name).c", "-o", "lib\(name).so"] + flags)
      }
      try #require(
        dlopen(folder.appending(path: "libreader.so").path, RTLD_NOW | RTLD_LOCAL) != nil)
      try #require(dlsym(nil, "rebind_local_variable") == nil)
      _ = dlerror()
      let error = try #require(throws: RebindTestingError.self) {
        try withFailing("rebind_local_variable") {}
      }
      try #require(error.code == .variable && dlerror() == nil)
    }
  }

  @Test func traitOfTheRuntime() async {
    let error = await #expect(throws: RebindTestingError.self) {
      let trait: FailingTrait = .failing("swift_retain", returning: nil)
      try await trait.provideScope(for: try #require(Test.current), testCase: nil) {}
    }
    #expect(error?.code == .runtimeFunction)
  }

  /// The core knows more than that nobody calls it.
  @Test func refusalsAreExplained() {
    let error = #expect(throws: RebindTestingError.self) {
      try withRebinding("getpgidd", { _ -> CInt in 1 }) {}
    }
    #expect(error?.code == .undefinedSymbol)
    #expect(error?.description.contains("getpgid") == true)
    #expect(error?.detail.isEmpty == false)
  }

  /// One original would be wrong for some callers.
  @Test func severalOriginals() async {
    await #expect(processExitsWith: .success) {
      let libraries = try (0..<2).map { _ in try TypedCalls.load(RTLD_NOW | RTLD_LOCAL) }
      try #require(Set(libraries).count == 2)
      let error = #expect(throws: RebindTestingError.self) {
        try withRebinding("small", { (_, value: Int8) -> Int8 in value }) {}
      }
      #expect(error?.code == .severalOriginals)
      #expect(
        error?.description.contains(".so calls its own small; rebind it in that image") == true)
    }
  }

  /// The core's error keeps its details.
  @Test func imageThatCannotBeChanged() async throws {
    await #expect(processExitsWith: .success) {
      let builder = try FixtureBuilder(.gcc)
      let path = try builder.buildLibrary(
        "librefused.so", from: "refused-library.c", flags: ["-Wl,-z,relro,-z,now"]
      ).path
      // The kernel refuses it to this thread.
      let library = try #require(dlopen(path, RTLD_NOW))
      let isRefused = try #require(dlsym(library, "is_refused")).load(as: CInt.self)
      guard isRefused != 0 else { return }
      let error = #expect(throws: RebindTestingError.self) {
        try withRebinding("getppid", { _ -> pid_t in 1 }) { Issue.record("body ran") }
      }
      try #require(error?.code == .failure && error?.image == path)
      try #require(error?.systemError == EACCES)
      let description = try #require(error?.description)
      try #require(description.hasPrefix("cannot rebind getppid in \(path): "))
      try #require(description.hasSuffix(" (Permission denied)"))
    }
  }

  #if arch(x86_64)
  @Test func versions() throws {
    try withRebinding("getppid@GLIBC_2.2.5", { _ -> pid_t in 7 }) { #expect(getppid() == 7) }
    #expect(throws: RebindTestingError.self) {
      try withRebinding("getppid@NO_SUCH_1.0", { _ -> pid_t in 7 }) {}
    }
  }
  #endif
}
