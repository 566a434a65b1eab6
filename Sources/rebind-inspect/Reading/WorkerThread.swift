#if Commands

import Glibc

/// A thread that does one thing.
struct WorkerThread {
  private var id = pthread_t()

  /// Nil if the system has no thread left. The corresponding function is `pthread_create`.
  init?(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body: body))
    let result = pthread_create(
      &id, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    if result != 0 {
      work.release()
      return nil
    }
  }

  /// Waits until it is done. The corresponding function is `pthread_join`.
  func join() {
    pthread_join(id, nil)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

#endif
