import Dispatch
import TestSupport

@testable import RebindCounting

final class Node {
  var next: Node?
}

/// A list of nodes, each an allocation.
@inline(never)
func list(_ count: Int) -> Node? {
  var head: Node?
  for _ in 0..<count {
    let node = Node()
    node.next = head
    head = node
  }
  return head
}

@Suite(.measured) struct CountingTests {
  @Test func nothingCountsNothing() throws {
    let ofTask = try countingAllocations {}
    let ofThread = try countingAllocations(reach: .thread) {}
    for counts in [ofTask, ofThread] {
      #expect(counts.allocations == 0 && counts.frees == 0 && counts.bytes == 0)
      #expect(counts.liveBlocks == 0 && counts.liveUsableBytes == 0 && counts.peakUsableBytes == 0)
      #expect(counts.retains == 0 && counts.releases == 0)
      #expect(counts.objects == 0 && counts.exclusivityChecks == 0)
      #expect(counts.absences == [])
    }
  }

  @Test func objectsAreCounted() throws {
    // The first object of a class takes memory for the class.
    _ = list(1)
    let counts = try countingAllocations { list(100) }
    #expect(counts.objects == 100 && counts.allocations == 100)
    #expect(counts.calls(of: "malloc") == 100 && counts.calls(of: "calloc") == 0)
    #expect(counts.calls(of: "getppid") == nil)
    // A header of two words, and the field.
    #expect(counts.bytes == 2400)
    // The body's result is there still.
    #expect(counts.liveBlocks == 100 && counts.frees == 0)
    let live = try #require(counts.liveUsableBytes)
    #expect(live >= 2400 && counts.peakUsableBytes == live)

    let all = try countingAllocations { _ = list(100) }
    #expect(all.liveBlocks == 0 && all.liveUsableBytes == 0 && all.frees == 100)
    // The C library gives a little more or less, as its free blocks are.
    #expect(try #require(all.peakUsableBytes) >= 2400)
    #expect(try #require(all.releases) >= 100)
  }

  @Test func libraryCallsAreCounted() throws {
    let text = try #require(strdup("libc allocates"))
    defer { free(text) }
    let counts = try countingAllocations(of: .memory, reach: .thread) {
      free(strdup(text))
      free(realloc(malloc(10), 1000))
    }
    #expect(counts.calls(of: "malloc") == 2 && counts.calls(of: "realloc") == 1)
    // realloc gives a block and takes one.
    #expect(counts.allocations == 3 && counts.frees == 3 && counts.bytes == 15 + 1010)
    #expect(counts.retains == nil && counts.objects == nil && counts.exclusivityChecks == nil)
    #expect(counts.calls(of: "swift_retain") == nil)
  }

  @Test func errorsArePassedOn() async throws {
    struct Failure: Error {}
    func fail() throws { throw Failure() }
    func failLater() async throws { throw Failure() }
    #expect(throws: Failure.self) { try countingAllocations { try fail() } }
    #expect(throws: Failure.self) { try countingAllocations(reach: .thread) { try fail() } }
    await #expect(throws: Failure.self) { try await countingAllocations { try await failLater() } }
    let counts = try await countingAllocations { list(2) }
    #expect(counts.objects == 2)
  }

  @Test func scopesNest() throws {
    var ofThread: AllocationCounts?
    var ofTask: AllocationCounts?
    let outer = try countingAllocations(of: .objects) {
      _ = list(3)
      ofThread = try countingAllocations(of: .objects, reach: .thread) { list(5) }
      ofTask = try countingAllocations(of: .objects) { list(7) }
    }
    #expect(ofThread?.objects == 5 && ofTask?.objects == 7)
    // The machinery's own objects between are not all suppressed: a task-local value is pushed.
    #expect(try #require(outer.objects) == 15)
  }

  /// A counting has no part in the blocks that an outer one sees, so that it hides no leak.
  @Test(
    .notInCheck,
    arguments: [CountedKinds.standard, [.standard, .callingImages, .sites, .mappings]])
  func anInnerCountingLeavesNoBlocks(kinds: CountedKinds) throws {
    let inners: [() throws -> AllocationCounts] = [
      { try countingAllocations(of: kinds) { _ = list(3) } },
      { try countingAllocations(of: kinds, reach: .thread) { _ = list(3) } },
      { try countingAllocations(of: kinds, reach: .process) { _ = list(3) } },
    ]
    // Names of sites are asked for at the end of each.
    for inner in kinds.contains(.sites) && isQuick ? [inners[0]] : inners {
      // Types that the runtime makes at their first use stay.
      _ = try inner()
      for isOfTask in [true, false] {
        func outer(_ body: () throws -> Void) throws -> AllocationCounts {
          let kinds: CountedKinds = [.memory, .mappings]
          return isOfTask
            ? try countingAllocations(of: kinds, body: body)
            : try countingAllocations(of: kinds, reach: .thread, body: body)
        }
        let dropped = try outer { _ = try inner() }
        #expect(dropped.liveBlocks == 0 && dropped.liveUsableBytes == 0, "\(dropped)")
        #expect(dropped.mappings == 0 && dropped.unmappings == 0, "\(dropped)")

        var result: AllocationCounts?
        let kept = try outer { result = try inner() }
        #expect(result?.absences != [] || kinds != .standard || kept.liveBlocks == 0, "\(kept)")
        let freed = try outer { result = nil }
        // A task's are those that it was given; a thread frees older ones, too.
        #expect(try #require(freed.liveBlocks) == (isOfTask ? 0 : -#require(kept.liveBlocks)))

        var leaked: UnsafeMutableRawPointer?
        let leaking = try outer {
          _ = try inner()
          leaked = malloc(10)
          _ = try inner()
        }
        free(leaked)
        #expect(leaking.liveBlocks == 1, "\(leaking)")
      }
    }
  }

  /// Work of tasks that frees all that it asks for. The runtime frees its own memory when it likes, and on
  /// threads without the task.
  private static let works: [@Sendable () async -> Void] = [
    {
      await withTaskGroup(of: Int.self) { group in
        for number in 0..<200 {
          group.addTask {
            let text = "text number \(number), not small at all"
            await suspend()
            return text.count
          }
        }
        for await _ in group {}
      }
    },
    {
      for number in 0..<20 {
        async let child = {
          await suspend(); return [number, number]
        }()
        _ = await child
      }
    },
    { for _ in 0..<100 { await Task.yield() } },
    { try? await Task.sleep(for: .milliseconds(1)) },
    { _ = await Task.detached { [1, 2, 3].map(String.init) }.value },
    {
      let (stream, continuation) = AsyncStream.makeStream(of: [Int].self)
      for number in 0..<20 { continuation.yield([number]) }
      continuation.finish()
      for await _ in stream {}
    },
    {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
      }
    },
  ]

  @Test(.notInCheck, arguments: 0..<7) func memoryOfTasksIsNotLive(number: Int) async throws {
    let work = Self.works[number]
    for _ in 0..<3 { await work() }
    for round in 0..<25 {
      let counts = try await countingAllocations(of: .memory) { await work() }
      #expect(counts.liveBlocks == 0 && counts.liveUsableBytes == 0, "\(round): \(counts)")
    }
    // A block that is kept is live, whatever the tasks do.
    nonisolated(unsafe) var kept: UnsafeMutableRawPointer?
    let counts = try await countingAllocations(of: .memory) {
      await work()
      kept = malloc(100)
      await work()
    }
    #expect(counts.liveBlocks == 1 && counts.liveUsableBytes! >= 100, "\(counts)")
    free(kept)
  }

  /// A limit on memory may leave no room for the addresses of blocks. A number that needs them is nil then.
  @Test func littleMemory() async {
    await #expect(processExitsWith: .success) {
      func count() throws -> AllocationCounts {
        try countingAllocations(of: .memory) { free(malloc(10)) }
      }
      try #require(try count().liveBlocks == 0)
      let pages = try #require(
        String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
          .flatMap { UInt($0) })
      var limit = rlimit()
      limit.rlim_cur = pages * UInt(getpagesize()) + 16 << 20
      limit.rlim_max = limit.rlim_cur
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
      let counts = try count()
      try #require(counts.allocations == 1 && counts.frees == 1)
      try #require(
        counts.liveBlocks == nil && counts.liveUsableBytes == nil && counts.peakUsableBytes == nil)
      try #require(counts.absences.contains { $0.function == "live blocks" })
    }
  }

  /// A limit that leaves no room for the sites of calls is an error with a code.
  @Test func tooLittleMemory() async {
    await #expect(processExitsWith: .success) {
      func count() throws -> AllocationCounts {
        try countingAllocations(of: [.memory, .sites]) { free(malloc(10)) }
      }
      try #require(try count().allocations == 1)
      let pages = try #require(
        String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
          .flatMap { UInt($0) })
      var limit = rlimit()
      limit.rlim_cur = pages * UInt(getpagesize()) + 2 << 20
      limit.rlim_max = limit.rlim_cur
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
      let error = #expect(throws: CountingError.self) { try count() }
      try #require(error?.code == .outOfMemory)
      try #require(error?.description == "cannot count: mmap gave no memory")
    }
  }

  /// The statuses of `crebind_apply`.
  @Test(arguments: [
    (5 as CInt, CountingError.Code.brokenImage), (6, .outOfMemory), (7, .protection), (8, .busy),
    (17, .leftOpen), (19, .notTakenBack), (4711, .init(rawValue: "status 4711")),
  ])
  func errorsHaveCodes(status: CInt, code: CountingError.Code) {
    #expect(CountingError(status: status).code == code)
  }

  @concurrent private static func suspend() async {}

  @Test func anInnerCountingThatSuspendsLeavesNoBlocks() async throws {
    var leaked: UnsafeMutableRawPointer?
    func count() async throws -> AllocationCounts {
      try await countingAllocations(of: .memory) {
        _ = try await countingAllocations { await Self.suspend() }
        _ = try await countingAllocations(reach: .process) { await Self.suspend() }
        leaked = malloc(10)
      }
    }
    // The task gets memory for frames, which it keeps.
    _ = try await count()
    free(leaked)
    let counts = try await count()
    free(leaked)
    #expect(counts.liveBlocks == 1, "\(counts)")
  }

  /// The optimiser moves no free of the machinery's to where it is counted. Errors leave no blocks, either:
  /// in a test the testing library keeps their backtraces.
  @Test(arguments: ["-Onone", "-O"])
  func innerCountingsOfAProgram(optimisation: String) throws {
    let program = try RebindProgram(
      """
      import RebindCounting
      struct Failure: Error {}
      final class Node {}
      let inners: [() throws -> AllocationCounts?] = [
        { try countingAllocations { _ = Node() } },
        { try countingAllocations(reach: .thread) { _ = Node() } },
        { try? countingAllocations { throw Failure() } },
        { try? countingAllocations(reach: .thread) { throw Failure() } },
        { try? countingAllocations(reach: .process) { throw Failure() } },
      ]
      for inner in inners {
        _ = try countingAllocations { _ = try inner() }
        let ofTask = try countingAllocations { _ = try inner() }
        let ofThread = try countingAllocations(reach: .thread) { _ = try inner() }
        print(ofTask.liveBlocks!, ofTask.liveUsableBytes!, ofThread.liveBlocks!)
      }
      """, modules: countingModules, flags: [optimisation])
    let result = try program.run()
    #expect(result.succeeded)
    #expect(result.output == String(repeating: "0 0 0\n", count: 5), "\(result)")
  }

  // MARK: - Images

  @Test func imagesAreToldApart() throws {
    _ = list(1)
    let kinds: CountedKinds = [.standard, .callingImages]
    let ofTask = try countingAllocations(of: kinds) { list(10) }
    let ofThread = try countingAllocations(of: kinds, reach: .thread) { list(10) }
    for counts in [ofTask, ofThread] {
      let images = try #require(counts.images)
      let program = try #require(images.first { $0.path.isEmpty })
      #expect(program.calls(of: "swift_allocObject") == 10 && program.calls(of: "malloc") == 0)
      let core = try #require(images.first { $0.path.hasSuffix("/libswiftCore.so") })
      #expect(core.calls(of: "malloc") == 10 && core.calls(of: "getppid") == nil)
      #expect(counts.description.contains("called by libswiftCore.so: malloc 10"))
      #expect(counts.absences == [] && images.allSatisfy { $0.path != "[elsewhere]" })
    }
  }

  /// Calls of other threads count, too.
  @Test func imagesOfTheProcessAreToldApart() async throws {
    let counts = try await countingAllocations(of: [.objects, .callingImages], reach: .process) {
      let thread = Thread { withExtendedLifetime(list(1000)) {} }
      thread.start()
      while !thread.isFinished { usleep(100) }
    }
    let program = try #require(counts.images?.first { $0.path.isEmpty })
    let objects = try #require(program.calls(of: "swift_allocObject"))
    #expect(objects >= 1000 && objects <= counts.objects ?? 0)
    #expect(counts.absences == [])
  }

  // MARK: - The table

  @Test func theTableHasWhatWasAskedFor() throws {
    let counts = try countingAllocations(of: [.memory, .objects], reach: .thread) { list(3) }
    let usable = try #require(counts.liveUsableBytes)
    #expect(
      counts.description.split(separator: "\n").map {
        $0.split(separator: " ").joined(separator: " ")
      } == [
        "allocations 3", "malloc 3", "frees 0", "bytes asked for 72", "live blocks 3",
        "live bytes (usable size) \(usable)", "peak bytes (usable size) \(usable)", "objects 3",
      ])
    let references = try countingAllocations(of: .references, reach: .thread) {}
    #expect(
      references.description.hasSuffix(
        "not seen: references that libswiftCore counts itself, as they go through no slot"))
  }

  // MARK: - Mappings

  @Test func mappingsAreCounted() throws {
    let size = 1 << 16
    var failed: UnsafeMutableRawPointer?
    let counts = try countingAllocations(of: [.mappings, .memory, .callingImages], reach: .thread) {
      let place = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      munmap(place, size)
      failed = mmap(nil, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      // The C library maps it, through no slot.
      free(malloc(64 << 20))
    }
    #expect(failed == MAP_FAILED)
    #expect(counts.mappings == 1 && counts.unmappings == 1 && counts.mappedBytes == size)
    #expect(counts.allocations == 1 && counts.calls(of: "mmap") == 2)
    let program = try #require(counts.images?.first { $0.path.isEmpty })
    #expect(program.calls(of: "munmap") == 1)
    #expect(counts.description.contains("mappings"))
    #expect(counts.description.contains("not seen: mappings that the C library makes itself"))

    let others = try countingAllocations(reach: .thread) {}
    #expect(others.mappings == nil && others.mappedBytes == nil && others.absences == [])
    #expect(!others.description.contains("mappings"))
  }
}
