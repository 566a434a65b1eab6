#if os(Linux) && !REBIND_ELSEWHERE
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A value behind a lock, with threads that wait for it to change.
///
/// Never held while the core or the loader is called: a constructor that asks for the lock has
/// the loader's. Where nobody waits, a `Mutex` is enough.
package final class Monitor<Value: Sendable>: Sendable {
  // Safe, as threads share both, and the value is reached under the lock alone.
  private nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private nonisolated(unsafe) let condition =
    UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private nonisolated(unsafe) var value: Value

  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(lock)
    condition.deallocate()
    lock.deallocate()
  }

  /// Calls `body` with the lock held. A change by `body` wakes the threads that wait.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(lock)
    }
    return body(&value)
  }

  /// Calls `body` with the lock held, again each time that the value may have changed, until
  /// it has a result.
  package func waiting<Result>(_ body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(lock)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(lock)
    }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, lock)
    }
  }
}
#endif
