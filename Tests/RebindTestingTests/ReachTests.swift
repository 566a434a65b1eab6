import RebindTesting
import Synchronization
import TestSupport

/// The reach of a rebinding.
@Suite(.measured) struct ReachTests {
  @Test func taskReachesItsOwnTasks() async throws {
    let parent = getppid()
    try await withRebinding("getppid", { _ -> pid_t in 7 }) {
      async let child = getppid()
      let group = await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            await Task.yield()
            return getppid()
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let unstructured = await Task { getppid() }.value
      let detached = await Task.detached { getppid() }.value
      await Task.yield()
      let own = getppid()
      let others = await child
      #expect(own == 7 && others == 7 && group == Array(repeating: 7, count: 8))
      #expect(unstructured == 7 && detached == parent)
    }
  }

  /// The body stays where its caller is, and may use what the caller has.
  @MainActor @Test func bodyStaysOnItsActor() async throws {
    let handled = Mutex<[pid_t]>([])
    var seen: [pid_t] = []
    try await withRebinding(
      "getppid",
      { original -> pid_t in
        handled.withLock { $0.append(original()) }
        return 7
      }
    ) {
      await Task.yield()
      MainActor.assertIsolated()
      seen.append(getppid())
    }
    #expect(seen == [7] && handled.withLock { $0 } == [getppid()])
  }

  /// It gets the original once the body has ended.
  @Test func taskThatOutlivesTheBody() async throws {
    let parent = getppid()
    let (ended, end) = AsyncStream<Void>.makeStream()
    let task = try await withRebinding("getppid", { _ -> pid_t in 7 }) {
      #expect(getppid() == 7)
      return Task {
        let before = getppid()
        for await _ in ended { break }
        return (before, getppid())
      }
    }
    end.yield()
    let (before, after) = await task.value
    #expect((before == 7 || before == parent) && after == parent)
  }

  @Test func taskDoesNotReachAThread() throws {
    let parent = getppid()
    try withRebinding("getppid", { _ -> pid_t in 7 }) {
      let seen = Mutex<pid_t>(0)
      onAnotherThread { seen.withLock { $0 = getppid() } }
      #expect(getppid() == 7 && seen.withLock { $0 } == parent)
    }
  }

  @Test func taskWorksOnAThreadWithoutTask() {
    onAnotherThread {
      let parent = getppid()
      let seen = try? withRebinding("getppid", { $0() + 1 as pid_t }) { getppid() }
      #expect(seen == parent + 1 && getppid() == parent)
    }
  }

  @Test func printsItsName() {
    #expect("\(Reach.task) \(Reach.thread) \(Reach.process)" == "task thread process")
  }

  @Test func threadReachesItsThread() throws {
    let parent = getppid()
    try withRebinding("getppid", reach: .thread, { _ -> pid_t in 7 }) {
      let seen = Mutex<pid_t>(0)
      onAnotherThread { seen.withLock { $0 = getppid() } }
      #expect(getppid() == 7 && seen.withLock { $0 } == parent)
    }
    #expect(getppid() == parent)
  }

  @Test func processReachesEveryone() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      try await withRebinding("getppid", reach: .process, { _ -> pid_t in 7 }) {
        let seen = Mutex<pid_t>(0)
        onAnotherThread { seen.withLock { $0 = getppid() } }
        let detached = await Task.detached { getppid() }.value
        try #require(getppid() == 7 && seen.withLock { $0 } == 7 && detached == 7)
      }
      try #require(getppid() == parent)
    }
  }

  /// In a process of its own, as a call of another test may be inside of a handler for all.
  @Test(arguments: [false, true])
  func handlersAreFreed(ofProcess: Bool) async {
    await #expect(processExitsWith: .success) { [ofProcess] in
      let call: TypedCalls.Int32Caller = try TypedCalls.function("call_countdown")
      weak var captured: Box?
      try {
        let box = Box(100)
        captured = box
        try withRebinding(
          "countdown", reach: ofProcess ? .process : .task,
          { (original, value: CInt) -> CInt in box.value == 100 ? original(value) : 0 }
        ) { try #require(call() == 5) }
      }()
      try #require(captured == nil)
    }
  }

  /// Threads are inside of the handler, and on their way there, while scopes end.
  @Test func processScopesEndWhileCallsAreInside() async {
    await #expect(processExitsWith: .success) {
      let stop = Atomic(false)
      let strange = Atomic(0)
      let parent = getppid()
      let threads = (0..<4).map { _ in
        startThread {
          while !stop.load(ordering: .relaxed) {
            let seen = getppid()
            if seen != parent, !(100..<400).contains(seen) { strange.add(1, ordering: .relaxed) }
          }
        }
      }
      for round in 0..<tries(300) {
        let value = Box(pid_t(100 + round))
        try withRebinding("getppid", reach: .process, { _ -> pid_t in value.value }) {
          _ = usleep(20)
        }
      }
      stop.store(true, ordering: .relaxed)
      for thread in threads { pthread_join(thread, nil) }
      try #require(strange.load(ordering: .relaxed) == 0)
    }
  }
}

/// Something that a handler keeps alive, and that is not to be used after it is freed.
private final class Box: Sendable {
  let value: pid_t
  init(_ value: pid_t) { self.value = value }
  deinit { precondition(value >= 100) }
}

private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  pthread_join(startThread(body), nil)
}

private func startThread(_ body: @escaping () -> Void) -> pthread_t {
  final class Start {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    {
      Unmanaged<Start>.fromOpaque($0!).takeRetainedValue().body()
      return nil
    },
    Unmanaged.passRetained(Start(body)).toOpaque())
  return thread
}
