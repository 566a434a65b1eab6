public import Rebind
public import RebindRegistry
import Synchronization

/// The modules of a program and its plug-ins, from their first call to the last one.
public final class Application: Sendable {
  /// The known modules. A module that is registered here before `launch` is loaded with the others.
  public let registry = AnnotationRegistry(group: "modules")
  public let context: Context
  public let router: Router

  /// The types that a configuration names: a file has no types.
  private let types = AnnotationRegistry(group: "types")
  private let modules = ModuleList()
  private let observation = Mutex<AnnotationObservation?>(nil)

  public init() {
    context = Context(modules)
    router = Router(context)
  }

  /// Loads the modules, and from now on those of plug-ins as they come.
  public func launch() throws {
    try load()
    var observation: AnnotationObservation? = try registry.observe { [weak self] event in
      guard let self else { return }
      switch event {
      case .added:
        do { try load() } catch { print("cannot load a module:", error) }
      case .removed(let image, _):
        tearDown(modules.all.filter { $0.entry.annotation?.image == image })
      }
    }
    self.observation.withLock { $0 = observation.take() }
  }

  /// Tears all modules down.
  public func shutDown() {
    if let observation = observation.withLock({ $0.take() }) { observation.end() }
    tearDown(modules.all)
  }

  /// Loads what is not loaded yet: each step is done for all before the next one begins.
  private func load() throws {
    let known = Set(modules.all.map(\.entry.key))
    let new = try registry.entries.filter { !known.contains($0.key) }
      .sorted { $0.precedes($1) }
      .map { ModuleList.Item(entry: $0, module: try module(for: $0)) }
    modules.add(new)
    for item in new { item.module.setUp(context) }
    for item in new { item.module.start(context) }
  }

  private func module(for entry: AnnotationRegistry.Entry) throws -> any Module {
    if let name = entry.typeName { return try types.make(name) }
    do throws(AnnotationRegistryError) { return try registry.make(entry.key) } catch {
      // One in C has no instances.
      guard error.code == .noAnswer else { throw error }
      return CModule(try registry.pointer(for: entry.key))
    }
  }

  private func tearDown(_ items: [ModuleList.Item]) {
    for item in items.reversed() { item.module.tearDown(context) }
    modules.remove(items)
  }
}
