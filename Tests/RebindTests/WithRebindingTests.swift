import Rebind
import TestSupport

private typealias GetNumber = @convention(c) () -> pid_t

private enum Hooks {
  static let parent = Rebinding<GetNumber>("getppid")
  static let group = Rebinding<GetNumber>("getpgrp")
}

private struct Failure: Error {}

/// Rebindings for the time of a closure.
@Suite(.measured) struct WithRebindingTests {
  @Test func lastsForTheBody() async {
    await #expect(processExitsWith: .success) {
      let (parent, group) = (getppid(), getpgrp())
      let inside = try withRebinding(Hooks.parent.replaced { 1 }) {
        getppid()
      }
      try #require(inside == 1 && getppid() == parent && !Hooks.parent.isActive)
      let sum = try withRebindings {
        Hooks.parent.replaced { 2 }
        Hooks.group.replaced { 3 }
      } body: {
        getppid() + getpgrp()
      }
      try #require(sum == 5 && getppid() == parent && getpgrp() == group)
      let scoped = try withRebinding(Hooks.parent.replaced { 1 }, in: .main) {
        getppid()
      }
      try #require(scoped == 1 && getppid() == parent)
    }
  }

  @Test func restoresOnThrow() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      #expect(throws: Failure.self) {
        try withRebinding(Hooks.parent.replaced { 1 }) {
          try #require(getppid() == 1)
          throw Failure()
        }
      }
      try #require(getppid() == parent && !Hooks.parent.isActive)
      await #expect(throws: Failure.self) {
        try await withRebindings {
          Hooks.parent.replaced { 1 }
        } body: {
          await Task.yield()
          try #require(getppid() == 1)
          throw Failure()
        }
      }
      try #require(getppid() == parent && !Hooks.parent.isActive)
    }
  }

  @Test func restoresOnCancellation() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      let (started, continuation) = AsyncStream.makeStream(of: pid_t.self)
      let task = Task {
        try await withRebinding(Hooks.parent.replaced { 1 }) {
          continuation.yield(getppid())
          try await Task.sleep(for: .seconds(600))
        }
      }
      var iterator = started.makeAsyncIterator()
      let seen = await iterator.next()
      try #require(seen == 1)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try #require(getppid() == parent && !Hooks.parent.isActive)
    }
  }

  /// The body stays on the caller's actor.
  @Test func keepsTheIsolation() async {
    await #expect(processExitsWith: .success) {
      try await Task { @MainActor in
        var count = 0
        try await withRebinding(Hooks.parent.replaced { 1 }) {
          await Task.yield()
          MainActor.assertIsolated()
          count += Int(getppid())
        }
        try #require(count == 1)
      }.value
    }
  }

  @Test func doesNotRunTheBodyIfItCannotBeApplied() async {
    await #expect(processExitsWith: .success) {
      try Hooks.parent.apply { 1 }
      let error = #expect(throws: RebindError.self) {
        try withRebinding(Hooks.parent.replaced { 2 }) {
          Issue.record("ran")
        }
      }
      try #require(error?.code == .alreadyActive && getppid() == 1)
    }
  }
}
