import Synchronization

/// Everything that modules and services share: services, settings, and the way to other modules.
public final class Context: Sendable {
  public let services = Services()
  private let settings = Mutex<[String: String]>([:])
  private let modules: ModuleList

  init(_ modules: ModuleList) { self.modules = modules }

  public subscript(name: String) -> String? {
    get { settings.withLock { $0[name] } }
    set { settings.withLock { $0[name] = newValue } }
  }

  /// Tells all modules of an event, in their order.
  public func send(_ event: Event) {
    for item in modules.all { item.module.handle(event, self) }
  }
}
