import Dispatch
import TestSupport

@testable import RebindTesting

/// The jobs that Swift's runtime gives to libdispatch, by the thread that runs them.
@Suite(.measured) struct JobTests {
  @Test func jobsOfThePool() async throws {
    try await SwiftJobs.followTask()
    #expect(SwiftJobs.current == .pool)
    #expect(await Task.detached { SwiftJobs.current }.value == .pool)
    #expect(await Counter().job == .pool)
    for priority in [TaskPriority.background, .low, .medium, .high] {
      #expect(await Task.detached(priority: priority) { SwiftJobs.current }.value == .pool)
    }
  }

  /// A block of `sync` runs on the thread of the task, whatever its queue.
  @Test func syncStaysOnTheThread() async throws {
    try await SwiftJobs.followTask()
    #expect(DispatchQueue(label: "of sync").sync { SwiftJobs.current } == .pool)
  }

  @MainActor @Test func jobsOfTheMainActor() async throws {
    try await SwiftJobs.followTask()
    #expect(SwiftJobs.current == .main)
    await Task.yield()
    #expect(SwiftJobs.current == .main)
    #expect(await Task.detached { SwiftJobs.current }.value == .pool)
  }

  @Test func otherThreadsRunNoJob() async throws {
    try SwiftJobs.follow()
    let onQueue = await withCheckedContinuation { continuation in
      DispatchQueue(label: "of a block").async { continuation.resume(returning: SwiftJobs.current) }
    }
    #expect(onQueue == nil)
    onThreads(1) {
      #expect(SwiftJobs.current == nil)
      // It begins where it is made.
      Task.immediate { #expect(SwiftJobs.current == nil) }
    }
  }

  /// Their threads may block, even if a queue has the label of the runtime's.
  @Test(arguments: ["of an executor", "Swift global concurrent queue"])
  func executorsWithAQueue(label: String) async throws {
    try SwiftJobs.follow()
    let executor = try QueueExecutor(label: label)
    #expect(await Task(executorPreference: executor) { SwiftJobs.current }.value == nil)
  }

  /// The runtime's calls go through no slot then, and whoever needs jobs is told so.
  @Test(.inCore) func staticRuntime() throws {
    let program = try RebindProgram(
      """
      import CRebindReach

      let isFound = withUnsafePointer(to: 0) { crebind_reach_prepare_jobs($0, $0) }
      print(await Task { isFound }.value)
      """, modules: ["CRebindReach"], flags: ["-static-stdlib"])
    let result = try program.run()
    #expect(result.output == "false\n", "\(result)")
    let error = RebindTestingError(code: .jobsNotSeen, symbol: "dispatch_async_f")
    #expect(
      "\(error)" == """
        cannot rebind dispatch_async_f: Swift's runtime calls it through no slot, so that nobody knows which \
        threads run its jobs; link the runtime dynamically, without -static-stdlib
        """)
  }
}

private actor Counter {
  var job: SwiftJobs.Kind? { SwiftJobs.current }
}

/// Runs jobs on a queue of its own, which the runtime gives them to.
private final class QueueExecutor: TaskExecutor {
  /// A `dispatch_queue_t`.
  nonisolated(unsafe) private let queue: OpaquePointer

  init(label: String) throws {
    typealias Create = @convention(c) (UnsafePointer<CChar>, OpaquePointer?) -> OpaquePointer?
    let create = try #require(dlsym(nil, "dispatch_queue_create"))
    queue = try #require(unsafeBitCast(create, to: Create.self)(label, nil))
  }

  func enqueue(_ job: consuming ExecutorJob) { enqueueOnQueue(UnownedJob(job), queue) }
}

@_silgen_name("swift_task_enqueueOnDispatchQueue")
private func enqueueOnQueue(_ job: UnownedJob, _ queue: OpaquePointer)
