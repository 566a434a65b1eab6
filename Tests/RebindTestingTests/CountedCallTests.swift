import RebindCounting
import RebindTesting
import TestSupport

/// A function is counted while hooks of RebindTesting act on it, whichever of both came first.
@Suite(.measured) struct CountedCallTests {
  /// The ways to act on malloc.
  enum Hook: String, CaseIterable, Codable {
    case fault, recording, answer, handler
    /// A fault inside of a recording.
    case both

    /// Runs `body`, whose second call of malloc with 24 bytes may fail.
    func around(_ body: () throws -> Void) throws {
      switch self {
      case .fault:
        try withFailing("malloc", onCall: 2, when: .argument(0, is: 24), reach: .thread) {
          try body()
        }
      case .recording:
        try withRecordedCalls(of: "malloc", reach: .thread) { recording in
          try body()
          try #require(recording.calls(of: "malloc").count { $0.arguments.first == 24 } >= 3)
        }
      case .answer, .handler:
        var calls = 0
        try withRebinding(
          "malloc", reach: .thread,
          { (original, size: Int) -> UnsafeMutableRawPointer? in
            calls += size == 24 ? 1 : 0
            return self == .answer && size == 24 && calls == 2 ? nil : original(size)
          }
        ) { try body() }
      case .both:
        try withRecordedCalls(of: "malloc", reach: .thread) { recording in
          try Hook.fault.around(body)
          try #require(recording.calls(of: "malloc").count { $0.arguments.first == 24 } >= 2)
        }
      }
    }

    var answersACall: Bool { self == .fault || self == .answer || self == .both }
  }

  /// A call that a hook answers itself asks for no memory: it does not count.
  @Test(.notInCheck, arguments: Hook.allCases, [false, true])
  func eachOrderCountsTheSame(hook: Hook, isCounterBelow: Bool) async {
    await #expect(processExitsWith: .success) { [hook, isCounterBelow] in
      var counts: AllocationCounts?
      var failures = 0
      func count() throws {
        counts = try countingAllocations(of: [.memory, .callingImages], reach: .thread) {
          for _ in 0..<3 {
            let block = malloc(24)
            failures += block == nil ? 1 : 0
            free(block)
          }
        }
      }
      // A recording takes note of a call in Swift: not while the runtime makes a type under its lock.
      try count()
      failures = 0
      if isCounterBelow {
        _ = try countingAllocations(of: .memory, reach: .thread) { try hook.around(count) }
      } else {
        try hook.around(count)
      }
      let expected = hook.answersACall ? 2 : 3
      try #require(failures == 3 - expected)
      let found = try #require(counts)
      try #require(found.calls(of: "malloc") == expected && found.allocations == expected)
      try #require(found.frees == expected && found.bytes == 24 * expected)
      try #require(found.liveBlocks == 0 && found.liveUsableBytes == 0)
    }
  }

  /// A recording calls the original from its stub: the caller is who called the stub.
  @Test(arguments: [false, true])
  func callersBesideARecording(isCounterBelow: Bool) async {
    await #expect(processExitsWith: .success) { [isCounterBelow] in
      var counts: AllocationCounts?
      var recorded: [String?] = []
      let text = try #require(strdup("a text that libc copies"))
      func count() throws {
        counts = try countingAllocations(of: [.memory, .callingImages], reach: .thread) {
          free(strdup(text))
        }
      }
      func record() throws {
        try withRecordedCalls(of: "malloc", reach: .thread) { recording in
          try count()
          recorded = recording.calls(of: "malloc").map(\.image)
        }
      }
      // A recording takes note of a call in Swift: not while the runtime makes a type under its lock.
      try count()
      if isCounterBelow {
        _ = try countingAllocations(of: .memory, reach: .thread) { try record() }
      } else {
        try record()
      }
      let images = try #require(counts?.images)
      let callers = images.filter { $0.calls(of: "malloc") == 1 }.map(\.path)
      try #require(callers.count == 1 && callers[0].hasSuffix("/libc.so.6"), "\(images)")
      try #require(recorded.contains { $0?.hasSuffix("/libc.so.6") == true })
    }
  }

  /// A hook of another function that is called inside of malloc has its own caller.
  @Test func callersInsideOfTheOriginal() throws {
    let program = try RebindProgram(
      """
      import Glibc
      import RebindCounting
      import RebindTesting

      // A malloc of the program's, which calls getppid.
      install()
      try withRecordedCalls(of: "getppid", reach: .thread) { recording in
        let text = strdup("a text that libc copies")!
        let counts = try countingAllocations(of: .memory, reach: .thread) { free(strdup(text)) }
        let images = recording.calls(of: "getppid").compactMap(\\.image)
        print(counts.allocations ?? -1, images.isEmpty, images.contains { $0.contains("/libc.so") })
      }
      """,
      c: """
        #include <stddef.h>
        #include <unistd.h>
        struct rebinding { const char *name; void *replacement; void **replaced; };
        int rebind_symbols(struct rebinding rebindings[], size_t count);
        static void *(*original)(size_t);
        static void *with_getppid(size_t size) {
          getppid();
          return original(size);
        }
        void install(void) {
          static struct rebinding rebinding = {"malloc", (void *)with_getppid, (void **)&original};
          rebind_symbols(&rebinding, 1);
        }
        """, header: "void install(void);",
      modules: [
        "RebindTesting", "FaultVocabulary", "RebindCounting", "CRebindTesting", "CRebindStubs",
        "CRebindCounting",
        "CRebindReach", "CRebind",
      ])
    let result = try program.run()
    #expect(result.succeeded && result.output == "1 false false\n", "\(result)")
  }
}
