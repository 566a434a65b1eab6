#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
internal import Synchronization
internal import Testing

/// The tests beside the one that has made a scope of the process, whose calls the scope meets.
///
/// Threads that run no test's task, such as those of a queue, cannot be told apart.
final class OtherTests: Sendable {
  private let owner: Test
  private let names = Mutex<Set<String>>([])

  /// Nil outside of a test.
  init?() {
    // A suite's own tests run inside of it, and nobody can tell them from others.
    guard let owner = Test.current, !owner.isSuite else { return nil }
    self.owner = owner
    // A call may come while the runtime holds a lock under which it makes types: they are made here.
    note(owner.name)
    names.withLock { $0.removeAll() }
  }

  /// A call has come on this thread.
  func noteCall() {
    guard let test = Test.current, !test.isSuite,
      test.sourceLocation != owner.sourceLocation || test.name != owner.name
    else { return }
    note(test.name)
  }

  private func note(_ name: String) { _ = names.withLock { $0.insert(name) } }

  /// Records an issue at the test that has made the scope, if another one's call has come.
  func report(_ symbol: String) {
    let names = names.withLock { $0 }.sorted()
    guard let first = names.first else { return }
    let others = names.count == 1 ? first : "\(first) and \(names.count - 1) more"
    Issue.record(
      """
      the rebinding of \(symbol) acts for the whole process, and met calls of other tests: \(others). Put all \
      suites that call \(symbol) below one suite with .serialized, or run this test by itself: \
      swift test --no-parallel --filter \(owner.name.prefix { $0 != "(" })
      """, sourceLocation: owner.sourceLocation)
  }
}
#else
/// Without Swift Testing no tests run side by side.
struct OtherTests {
  init?() { nil }
  func noteCall() {}
  func report(_ symbol: String) {}
}
#endif
#endif
