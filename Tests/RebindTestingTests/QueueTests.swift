import Dispatch
import Foundation
import RebindTesting
import Synchronization
import TestSupport

/// Blocks that a task puts on queues.
@Suite(.measured) struct QueueTests {
  @Test(arguments: Way.allCases) func faultsStrikeThere(way: Way) async throws {
    let parent = getppid()
    let seen = try await withFailing("getppid", returning: 5) { await run(way) { getppid() } }
    #expect(seen == 5)
    #expect(await run(way) { getppid() } == parent)
  }

  @Test(arguments: Way.allCases) func callsAreRecordedThere(way: Way) async throws {
    try await withRecordedCalls(of: "getppid") { recording in
      _ = await run(way) { getppid() }
      #expect(recording.calls.count == 1)
    }
  }

  @Test(arguments: Way.allCases) func clocksStandStillThere(way: Way) async throws {
    let seen = try await withFrozenTime(.seconds(7)) { await run(way) { time(nil) } }
    #expect(seen == 7)
  }

  @Test(arguments: Way.allCases) func allocationsAreCountedThere(way: Way) async throws {
    let counts = try await countingAllocations(of: .memory) {
      await run(way) { for _ in 0..<1000 { free(malloc(1000)) } }
    }
    let allocations = try #require(counts.allocations)
    #expect((1000..<1100).contains(allocations), "\(counts)")
    #expect(counts.frees! >= 1000, "\(counts)")
  }

  /// The way of a block asks for nothing more in the name of its task.
  @Test func followingIsNotCounted() async {
    await #expect(processExitsWith: .success) {
      try {
        let queue = DispatchQueue(label: "held")
        let put = { for _ in 0..<10 { queue.async {} } }
        queue.suspend()
        // The first blocks take memory that libdispatch has kept.
        for round in 0..<3 {
          let ofThread = try countingAllocations(of: .memory, reach: .thread) { put() }
          let ofTask = try countingAllocations(of: .memory) { put() }
          if round < 2 { continue }
          try #require(ofThread.allocations == ofTask.allocations, "\(ofThread), \(ofTask)")
          try #require(ofThread.bytes == ofTask.bytes && ofTask.allocations! > 0)
        }
        queue.resume()
      }()
    }
  }

  // MARK: - Whose blocks

  @Test func blocksOfOthersAreLeftAlone() async throws {
    let parent = getppid()
    let queue = DispatchQueue(label: "of many")
    try await withFailing("getppid", returning: 5) {
      for _ in 0..<20 {
        async let own = run(on: queue) { getppid() }
        let others = await Task.detached { await run(on: queue) { getppid() } }.value
        #expect(others == parent)
        #expect(await own == 5)
      }
    }
  }

  /// Each of eight tasks has a thousand blocks, on a queue of its own or on one of all.
  @Test func blocksAreTheirTasks() async throws {
    let shared = DispatchQueue(label: "of all", attributes: .concurrent)
    try await withThrowingTaskGroup { tasks in
      for number in 0..<8 as Range<CInt> {
        tasks.addTask {
          let queue = number % 2 == 0 ? shared : DispatchQueue(label: "of one")
          let wrong = Atomic(0)
          try await withRebinding("getppid", { _ -> pid_t in 100 + number }) {
            let blocks = DispatchGroup()
            for _ in 0..<1000 {
              queue.async(group: blocks) {
                if getppid() != 100 + number { wrong.add(1, ordering: .relaxed) }
              }
            }
            await withCheckedContinuation { continuation in
              blocks.notify(queue: queue) { continuation.resume() }
            }
          }
          #expect(wrong.load(ordering: .relaxed) == 0)
        }
      }
      try await tasks.waitForAll()
    }
  }

  /// A block can begin blocks and tasks, and can have scopes of its own.
  @Test func blocksLeadOn() async throws {
    let parent = getppid()
    try await withFailing("getppid", returning: 5) {
      let ofBlock = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          DispatchQueue(label: "inner").async {
            DispatchQueue.global().sync { continuation.resume(returning: getppid()) }
          }
        }
      }
      let (task, detached) = await run(.global) {
        (Task { getppid() }, Task.detached { getppid() })
      }
      #expect(await (ofBlock, task.value, detached.value) == (5, 5, parent))
      let (inner, outer, group) = await run(.global) {
        let inner = try? withFailing("getpgid", returning: 6) { (getpgid(0), getppid()) }
        return (inner?.0, inner?.1, getpgid(0))
      }
      #expect(inner == 6 && outer == 5 && group != 6)
    }
  }

  /// An executor may run jobs in blocks. The block is of the thread that hands the job over, and the job is its task's.
  @Test func jobsInBlocks() async throws {
    let parent = getppid()
    let executor = BlockExecutor()
    try await withFailing("getppid", returning: 5) {
      let own = await Task(executorPreference: executor) {
        await Task.yield()
        return getppid()
      }.value
      let detached = await Task.detached(executorPreference: executor) {
        await Task.yield()
        return getppid()
      }.value
      #expect(own == 5 && detached == parent)
    }
  }

  @Test func threadsHaveNoBlocks() throws {
    let parent = getppid()
    let seen = try withFailing("getppid", returning: 5, reach: .thread) {
      let seen = Mutex<pid_t>(0)
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) { seen.withLock { $0 = getppid() } }
      group.wait()
      return (getppid(), seen.withLock { $0 })
    }
    #expect(seen == (5, parent))
  }

  // MARK: - What libdispatch does with blocks

  /// A work item is a block of libdispatch's own, which the task does not lend its scopes.
  @Test func workItemsKeepTheirWays() async throws {
    let parent = getppid()
    try await withFailing("getppid", returning: 5) {
      #expect(getppid() == 5)
      let queue = DispatchQueue(label: "of items", attributes: .concurrent)
      let seen = Mutex<[pid_t]>([])
      let item = DispatchWorkItem(qos: .utility, flags: .barrier) {
        seen.withLock { $0.append(getppid()) }
      }
      queue.async(execute: item)
      #expect(item.wait(timeout: .now() + 60) == .success)
      for isLater in [false, true] {
        queue.suspend()
        // libdispatch traps where an item that somebody waits for has been submitted twice.
        let cancelled = DispatchWorkItem { seen.withLock { $0.append(0) } }
        if isLater {
          queue.asyncAfter(deadline: .now(), execute: cancelled)
        } else {
          queue.async(execute: cancelled)
        }
        cancelled.cancel()
        queue.resume()
        await withCheckedContinuation { continuation in
          cancelled.notify(queue: queue) { continuation.resume() }
        }
      }
      let group = DispatchGroup()
      queue.async(group: group, qos: .background, flags: [.enforceQoS]) {
        seen.withLock { $0.append(getppid()) }
      }
      await withCheckedContinuation { continuation in
        group.notify(queue: queue) { continuation.resume() }
      }
      #expect(seen.withLock { $0 } == [parent, parent])
    }
  }

  @Test func queuesKeepTheirOrder() async throws {
    try await withFailing("getppid", returning: 5) {
      #expect(getppid() == 5)
      let queue = DispatchQueue(label: "of barriers", attributes: .concurrent)
      let seen = Mutex<[Int]>([])
      for number in 0..<100 {
        queue.async { seen.withLock { $0.append(number / 10) } }
        if number % 10 == 9 {
          queue.async(flags: .barrier) { seen.withLock { $0.append(number / 10) } }
        }
      }
      await withCheckedContinuation { continuation in
        queue.async(flags: .barrier) { continuation.resume() }
      }
      #expect(seen.withLock { $0 } == (0..<10).flatMap { Array(repeating: $0, count: 11) })
      let sum = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: 100) { sum.add($0, ordering: .relaxed) }
      #expect(sum.load(ordering: .relaxed) == 4950)
    }
  }

  /// Hooks see the calls of the entry points as before.
  @Test func entryPointsCanBeHooked() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<2 {
        try await withRecordedCalls(of: "dispatch_async") { recording in
          _ = await run(.async) { getppid() }
          try #require(recording.calls.count == 1)
        }
      }
    }
  }

  // MARK: - Lives

  @Test func blockThatRunsAfterTheEnd() async throws {
    let parent = getppid()
    let queue = DispatchQueue(label: "held")
    let group = DispatchGroup()
    let seen = Mutex<pid_t>(0)
    queue.suspend()
    try await withFailing("getppid", returning: 5) {
      #expect(getppid() == 5)
      _ = try await countingAllocations {
        queue.async(group: group) {
          free(malloc(1000))
          seen.withLock { $0 = getppid() }
        }
      }
    }
    queue.resume()
    await withCheckedContinuation { continuation in
      group.notify(queue: queue) { continuation.resume() }
    }
    #expect(seen.withLock { $0 } == parent)
  }

  /// libdispatch neither runs nor keeps such a block.
  @Test func aBlockForNeverIsNotKept() throws {
    final class Captured: Sendable {}
    weak var captured: Captured?
    try withFailing("getppid", mayNotStrike: true) {
      let object = Captured()
      captured = object
      DispatchQueue.global().asyncAfter(deadline: .distantFuture) { [object] in _ = object }
    }
    #expect(captured == nil)
  }

  /// Scopes live as long as a block that may run needs them, and no longer.
  @Test func scopesAreFreed() async {
    await #expect(processExitsWith: .success) {
      final class Captured: Sendable {}
      weak var captured: Captured?
      let queue = DispatchQueue(label: "held")
      queue.suspend()
      try {
        let object = Captured()
        captured = object
        try withRebinding(
          "getppid", { original -> pid_t in withExtendedLifetime(object) { original() } }
        ) {
          queue.async { _ = getppid() }
        }
      }()
      try #require(captured != nil)
      queue.resume()
      for _ in 0..<5000 where captured != nil { usleep(1000) }
      try #require(captured == nil)
    }
  }

  @Test func nothingIsLeaked() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "busy")
      let run = { (count: Int) in
        for _ in 0..<count / 1000 {
          for _ in 0..<1000 { queue.async { [queue] in _ = queue } }
          queue.sync {}
        }
      }
      try {
        try withFailing("getppid", mayNotStrike: true) {
          run(10_000)
          let before = try residentPages()
          run(200_000)
          // The least that could be lost with each is a block of 32 bytes.
          try #require(try residentPages() - before < 1000)
        }
      }()
    }
  }
}

/// The ways of a block.
enum Way: CaseIterable {
  case async, global, main, later, barrier, group, notification
}

/// Has a block run on a queue, and waits for it.
private func run<Result: Sendable>(
  _ way: Way, _ body: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    let block: @Sendable () -> Void = { continuation.resume(returning: body()) }
    switch way {
    case .async: DispatchQueue(label: "of a block").async(execute: block)
    case .global: DispatchQueue.global(qos: .utility).async(execute: block)
    case .main: DispatchQueue.main.async(execute: block)
    case .later: DispatchQueue.global().asyncAfter(deadline: .now() + 0.001, execute: block)
    case .barrier: DispatchQueue(label: "of a block").async(flags: .barrier, execute: block)
    case .group: DispatchQueue.global().async(group: DispatchGroup(), execute: block)
    case .notification: DispatchGroup().notify(queue: .global(), execute: block)
    }
  }
}

private func run<Result: Sendable>(
  on queue: DispatchQueue, _ body: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    queue.async { continuation.resume(returning: body()) }
  }
}

/// Runs jobs in blocks of its queue.
private final class BlockExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "of an executor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// The memory that the process has, in pages of 4 KB.
private func residentPages() throws -> Int {
  let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
    separator: " ")
  return try #require(Int(numbers[1]))
}
