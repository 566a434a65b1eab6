import TestSupport

@testable import RebindCounting

@MainActor private final class Holder {
  var held: ReleasedHere?
}

@MainActor private final class ReleasedHere {
  isolated deinit { withExtendedLifetime(list(500)) {} }
}

/// Whose calls a counting has: those of a task and its children, or of the process.
@Suite(.measured) struct CountedReachTests {
  @Test func childTasksAreReached() async throws {
    let counts = try await countingAllocations(of: .objects) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { withExtendedLifetime(list(100)) {} } }
      }
    }
    // The tasks' closures are objects, too.
    #expect((1000..<1100).contains(try #require(counts.objects)))
  }

  @Test func otherTasksAreNotReached() async throws {
    let counts = try await countingAllocations(of: .memory) {
      await Task.detached { withExtendedLifetime(list(1000)) {} }.value
    }
    #expect(try #require(counts.allocations) < 100)
    let onThread = try await countingAllocations(of: .memory) {
      let thread = Thread { withExtendedLifetime(list(1000)) {} }
      thread.start()
      while !thread.isFinished { usleep(100) }
    }
    #expect(try #require(onThread.allocations) < 100)
  }

  /// The deinit runs without the values of the task that gives the object up. They are back once the deinit has ended.
  @Test @MainActor func anIsolatedDeinitIsNoPartOfTheTask() async throws {
    let holder = Holder()
    holder.held = ReleasedHere()
    let counts = try await countingAllocations(of: .objects) {
      withExtendedLifetime(list(10)) {}
      holder.held = nil
      withExtendedLifetime(list(1000)) {}
    }
    #expect(counts.objects == 1010)
  }

  @Test func theProcessIsReached() async throws {
    let counts = try await countingAllocations(of: [.memory, .processPeak], reach: .process) {
      // Far more than what other tests free meanwhile.
      let bytes = [UInt8](repeating: 1, count: 64 << 20)
      await Task.detached { withExtendedLifetime((list(1000), bytes)) {} }.value
    }
    #expect(try #require(counts.allocations) >= 1000)
    #expect(try #require(counts.peakUsableBytes) >= 32 << 20)
    let withoutPeak = try await countingAllocations(of: .memory, reach: .process) {}
    #expect(withoutPeak.peakUsableBytes == nil)
    #expect(withoutPeak.absences.map(\.function) == ["peak bytes"])
  }

  /// More than 16 countings cannot track it, which is another reason than that nobody has asked.
  @Test func thePeaksOfTheProcessAreLimited() async {
    // The countings of other tests would find none.
    await #expect(processExitsWith: .success) {
      var peaks: [AllocationCounts] = []
      func count(_ depth: Int) throws {
        guard depth > 0 else { return }
        peaks.append(
          try countingAllocations(of: [.memory, .processPeak], reach: .process) {
            try count(depth - 1)
          })
      }
      try count(17)
      try #require(peaks.filter { $0.peakUsableBytes == nil }.count == 1)
      try #require(peaks[0].absences.map(\.function) == ["peak bytes"])
      try #require(peaks[0].description.contains("16 other countings"))
      try #require(peaks[1...].allSatisfy { $0.absences == [] })
    }
  }

  /// Ten of ten runs give the same, while other tasks allocate.
  @Test func theCountsAreTheSameBesideOthers() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          while !Task.isCancelled {
            withExtendedLifetime(list(10)) {}
            await Task.yield()
          }
        }
      }
      defer { group.cancelAll() }
      var all: Set<[Int?]> = []
      for _ in 0..<10 {
        let counts = try await countingAllocations { _ = list(500) }
        #expect(counts.objects == 500 && counts.liveBlocks == 0)
        all.insert([
          counts.allocations, counts.bytes, counts.retains, counts.releases,
          counts.exclusivityChecks,
        ])
      }
      #expect(all.count == 1)
    }
  }
}
