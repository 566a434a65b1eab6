import ModuleKit
import RebindMacros
import Synchronization

@Annotated(group: "services", key: "Greeter")
final class PoliteGreeter: Greeter, AnnotationCreatable {
  func greeting(for name: String) -> String { "Good day, \(name)" }

  func call(_ method: String, _ argument: String) -> String? {
    method == "greeting" ? greeting(for: argument) : nil
  }
}

/// A new one for each who asks.
@Annotated(group: "services", key: "Counter", value: "fresh")
final class StepCounter: Counter, AnnotationCreatable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
