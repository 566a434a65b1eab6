import Rebind
import RebindRegistry
import Synchronization

/// The modules that are loaded, in their order.
final class ModuleList: Sendable {
  struct Item: Sendable {
    let entry: AnnotationRegistry.Entry
    let module: any Module
  }

  private let items = Mutex<[Item]>([])

  var all: [Item] { items.withLock { $0 } }

  func add(_ new: [Item]) {
    items.withLock { items in
      items = (items + new).sorted { $0.entry.precedes($1.entry) }
    }
  }

  func remove(_ gone: [Item]) {
    let keys = Set(gone.map(\.entry.key))
    items.withLock { $0.removeAll { keys.contains($0.entry.key) } }
  }
}

extension AnnotationRegistry.Entry {
  /// A value is the level, and in a configuration the type's name: `normal AuditTrail`.
  private var words: [String] { value.split(separator: " ").map(String.init) }

  var level: ModuleLevel { words.first.flatMap(ModuleLevel.init) ?? .normal }
  var typeName: String? { words.dropFirst().first }

  func precedes(_ other: Self) -> Bool {
    level == other.level ? priority > other.priority : level < other.level
  }
}
