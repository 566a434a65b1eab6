import Dispatch
import Foundation
import RebindCounting
import RebindTesting
import Synchronization
import TestSupport

/// Calls that block a thread of Swift's pool are found.
@Suite(.measured) struct BlockingTests {
  /// Each kind, alone and beside threads that take all time of the cores.
  @Test(.notInCheck, arguments: [false, true]) func plantedKinds(isBusy: Bool) async {
    await #expect(processExitsWith: .success) { [isBusy] in
      let stop = isBusy ? startBusyThreads() : nil
      for kind in BlockingKind.allCases {
        try await kind.expectFinding(including: [])
        if kind.isLock { try await kind.expectFinding(including: [.locks]) }
      }
      stop?.value.store(true, ordering: .relaxed)
    }
  }

  /// Work of all kinds that waits for nothing, beside threads that take the time.
  @Test(.notInCheck) func workThatDoesNotBlock() async {
    await #expect(processExitsWith: .success) {
      let stop = startBusyThreads()
      let calls = try await findingBlockingCalls(allowing: [.files]) {
        try await Task { try await workWithoutWaiting() }.value
      }
      stop.value.store(true, ordering: .relaxed)
      try #require(calls.sites.isEmpty, "\(calls)")
    }
  }

  /// The test's own job was on its way before.
  @Test func callsOfTheBodyItself() async throws {
    let calls = try await findingBlockingCalls { usleep(10) }
    #expect(calls.sites.map(\.function) == ["usleep"] && calls.calls == 1)
    #expect(calls.total > .zero && calls.sites.first?.longest == calls.total)
    #expect(calls.sites.first?.group == .sleeping)
    #expect("\(calls)".contains("usleep blocked the thread for "))
    #expect(try await findingBlockingCalls {}.description == "no call blocked a thread")
  }

  @Test func oneSiteForCallsThatCameTheSameWay() async throws {
    let calls = try await findingBlockingCalls { for _ in 0..<3 { usleep(10) } }
    let site = try #require(calls.sites.first)
    #expect(calls.sites.count == 1 && site.calls == 3 && calls.calls == 3)
    #expect(site.longest < site.total && "\(site)".contains(" in 3 calls, "))
  }

  /// The functions that stand between libdispatch and the runtime are nobody's concern.
  @Test func ownFramesAreLeftOut() async throws {
    let calls = try await findingBlockingCalls { await Task { _ = usleep(10) }.value }
    let site = try #require(calls.sites.first)
    #expect(site.frames.count > 2 && site.frames.allSatisfy { $0.file != "jobs.c" })
    #expect("\(site)".hasSuffix(" of the runtime"))
  }

  /// One that is not there to wait is found only if it takes longer than it may.
  @Test func callsBelowTheThreshold() async throws {
    let calls = try await findingBlockingCalls(over: .seconds(30)) {
      try BlockingKind.pipe.block()
      try BlockingKind.condition.block()
    }
    #expect(calls.sites.isEmpty, "\(calls)")
  }

  /// Semaphores of libdispatch wait by others' functions, which are not found once more.
  @Test func theOutermostCallIsFound() async throws {
    let calls = try await findingBlockingCalls { try BlockingKind.semaphore.block() }
    #expect(calls.sites.map(\.function) == ["dispatch_semaphore_wait"], "\(calls)")
  }

  /// Nobody tells of its end, and later calls are found all the same.
  @Test func aCallThatIsLeft() async {
    await #expect(processExitsWith: .success) {
      let pauseAndLeave: TypedCalls.Int32Caller = try TypedCalls.function("pause_and_leave")
      let calls = try await findingBlockingCalls {
        for _ in 0..<2 {
          try #require(pauseAndLeave() == 1)
          _ = usleep(10)
        }
      }
      try #require(calls.sites.map(\.function) == ["usleep"] && calls.calls == 2, "\(calls)")
    }
  }

  /// Nor do calls hide that are made deeper on the stack than one that was left.
  @Test(arguments: [false, true]) func aDeeperCallThanOneThatIsLeft(isOfOneJob: Bool) async {
    await #expect(processExitsWith: .success) { [isOfOneJob] in
      let pauseAndLeave: TypedCalls.Int32Caller = try TypedCalls.function("pause_and_leave")
      let calls = try await findingBlockingCalls {
        for _ in 0..<4 {
          try #require(pauseAndLeave() == 1)
          if !isOfOneJob { await Task.yield() }
          _ = sleepDeeply(50)
        }
      }
      try #require(calls.sites.map(\.function) == ["usleep"] && calls.calls == 4, "\(calls)")
    }
  }

  @Test func blocksOfSyncRunOnTheThread() async throws {
    let calls = try await findingBlockingCalls {
      DispatchQueue(label: "of sync").sync { _ = usleep(10) }
    }
    #expect(calls.sites.map(\.function) == ["usleep"])
  }

  /// The pool's threads alone are looked at: others may block.
  @Test func otherThreadsMayBlock() async {
    await #expect(processExitsWith: .success) {
      let calls = try await findingBlockingCalls(reach: .process) {
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "of a block").async {
            usleep(10)
            Task.immediate { _ = usleep(10) }
            continuation.resume()
          }
        }
        await MainActor.run { _ = usleep(10) }
      }
      try #require(calls.sites.isEmpty, "\(calls)")
    }
  }

  @Test func theProcessIsSearched() async {
    await #expect(processExitsWith: .success) {
      let calls = try await findingBlockingCalls(reach: .process) {
        await Task.detached { _ = usleep(10) }.value
      }
      try #require(calls.sites.map(\.function) == ["usleep"], "\(calls)")
      let ofTask = try await findingBlockingCalls { await Task.detached { _ = usleep(10) }.value }
      try #require(ofTask.sites.isEmpty, "\(ofTask)")
    }
  }

  /// One that no body encloses, and one that has ended.
  @Test func aSearchThatLives() async {
    await #expect(processExitsWith: .success) {
      func search() async throws -> [BlockingCalls] {
        let search = try BlockingCallSearch()
        await Task.detached { _ = usleep(10) }.value
        let first = search.found
        await Task.detached { _ = usleep(10) }.value
        return [first, search.found]
      }
      for _ in 0..<2 {
        let calls = try await search()
        try #require(calls.map(\.calls) == [1, 2], "\(calls)")
        try #require(calls[1].sites.allSatisfy { $0.function == "usleep" })
        await Task.detached { _ = usleep(10) }.value
      }
    }
  }

  /// Where a program hangs, no call returns.
  @Test func aCallThatHasNotReturned() async {
    await #expect(processExitsWith: .success) {
      let search = try BlockingCallSearch()
      let pipe = Pipe()
      let reader = Task.detached { try pipe.fileHandleForReading.read(upToCount: 1) }
      var calls = search.found
      while calls.calls == 0 { calls = search.found }
      try #require(calls.sites.map(\.function) == ["read"], "\(calls)")
      try #require(calls.sites[0].calls == 1 && calls.sites[0].isCut)
      try pipe.fileHandleForWriting.write(contentsOf: Data("x".utf8))
      _ = try await reader.value
      calls = search.found
      try #require(calls.calls == 1 && calls.sites[0].frames.count > 1, "\(calls)")
    }
  }

  @Test func theMainActor() async throws {
    let search: @Sendable (BlockingThreads) async throws -> [String] = { threads in
      try await findingBlockingCalls(on: threads) {
        await MainActor.run { _ = usleep(10) }
        var time = timespec(tv_sec: 0, tv_nsec: 1)
        nanosleep(&time, nil)
      }.sites.map(\.function).sorted()
    }
    #expect(try await search(.pool) == ["nanosleep"])
    #expect(try await search(.mainActor) == ["usleep"])
    #expect(try await search([.pool, .mainActor]) == ["nanosleep", "usleep"])
  }

  @MainActor @Test(.nonblocking) func theMainActorMayBlock() { _ = usleep(10) }

  /// Both find the same call.
  @Test func nestedSearches() async throws {
    var inner: BlockingCalls?
    let outer = try await findingBlockingCalls {
      inner = try await findingBlockingCalls { _ = usleep(10) }
    }
    #expect(inner?.calls == 1 && outer.calls == 1)
  }

  /// CoreFoundation's spin lock calls sleep(0).
  @Test func sleepsForNoTime() async throws {
    let calls = try await findingBlockingCalls {
      sleep(0)
      usleep(0)
    }
    #expect(calls.sites.isEmpty, "\(calls)")
  }

  /// ICU waits for a condition while another thread makes what it wants for the first time.
  @Test func conditionsOfICUAreLocks() async throws {
    let builder = try FixtureBuilder(.clang)
    let source = builder.directory.url.appending(path: "wait.c")
    try Data(
      """
      #include <pthread.h>
      #include <time.h>
      int wait_for_condition(void) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        time.tv_nsec += 5000000;
        if (time.tv_nsec >= 1000000000) time.tv_nsec -= 1000000000, time.tv_sec++;
        pthread_mutex_lock(&mutex);
        return pthread_cond_timedwait(&condition, &mutex, &time);
      }
      """.utf8
    ).write(to: source)
    for (name, isLock) in [("libicuwaits.so", true), ("libwaits.so", false)] {
      let file = builder.directory.url.appending(path: name)
      let build = try TestSupport.run("gcc", ["-shared", "-fPIC", "-o", file.path, source.path])
      try #require(build.succeeded, "\(build.errorOutput)")
      let library = try #require(dlopen(file.path, RTLD_NOW))
      let wait = unsafeBitCast(
        try #require(dlsym(library, "wait_for_condition")), to: (@convention(c) () -> CInt).self)
      let calls = try await findingBlockingCalls { _ = wait() }
      #expect(calls.sites.map(\.group) == (isLock ? [] : [.waiting]), "\(calls)")
      let all = try await findingBlockingCalls(including: [.locks]) { _ = wait() }
      #expect(all.sites.map(\.group) == [isLock ? .locks : .waiting], "\(all)")
    }
  }

  // MARK: What may block

  /// A semaphore waits by functions of its own, which are looked at, too.
  @Test func allowedWaits() async throws {
    for allowance: BlockingAllowance in [
      .calls(of: "dispatch_semaphore_wait"), .calls(in: .waiting),
    ] {
      let calls = try await findingBlockingCalls(allowing: [allowance]) {
        try BlockingKind.semaphore.block()
      }
      #expect(calls.sites.isEmpty, "\(calls)")
    }
    let calls = try await findingBlockingCalls(over: .seconds(Int64.max)) { _ = usleep(10) }
    #expect(calls.calls == 1)
  }

  @Test func allowedCalls() async throws {
    let image = try await withRecordedCalls(of: "getppid") { recording in
      _ = getppid()
      return recording.calls.first?.image
    }
    let allowances: [BlockingAllowance] = [
      .calls(in: .sleeping), .calls(of: "usleep"), .callers(in: try #require(image)),
    ]
    for allowance in allowances {
      let calls = try await findingBlockingCalls(allowing: [allowance]) { _ = usleep(10) }
      #expect(calls.sites.isEmpty, "\(allowance): \(calls)")
    }
  }

  @Test func otherCallersMayNot() async throws {
    let calls = try await findingBlockingCalls(
      allowing: [.callers(in: "libsqlite3.so.0"), .calls(of: "fsync"), .files]
    ) { _ = usleep(10) }
    #expect(calls.calls == 1)
  }

  @Test func unknownFunctions() async {
    let error = await #expect(throws: RebindTestingError.self) {
      _ = try await findingBlockingCalls(allowing: [.calls(of: "fsnyc")]) {}
    }
    #expect(
      error?.description
        == "fsnyc cannot be allowed to block: it is not among the functions that are looked at")
  }

  // MARK: The trait

  @Test(.hasIssue("usleep blocked the thread for", severity: .error), .nonblocking)
  func aTestThatSleeps() { _ = usleep(10) }

  @Test(
    .hasIssue("fsnyc cannot be allowed to block", severity: .error),
    .nonblocking(allowing: [.calls(of: "fsnyc")]))
  func aTestWithAnUnknownFunction() {}

  @Suite(.nonblocking) struct OfASuite {
    @Test func aTestThatDoesNot() {}
  }

  @Test(
    .nonblocking(over: .milliseconds(5), including: [.locks], allowing: [.calls(in: .sleeping)]))
  func maySleep() { _ = usleep(10) }
}
