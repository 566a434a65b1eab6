internal import Rebind

extension AnnotationRegistry {
  /// A registry's entries at one time.
  final class View: Sendable {
    /// The annotations that it was made of.
    let loaded: VisibleAnnotations
    let version: UInt64

    let entries: [Entry]
    let indices: [String: Int]
    let error: AnnotationRegistryError?

    init(of registry: AnnotationRegistry, loaded: VisibleAnnotations, state: State) {
      self.loaded = loaded
      version = state.version
      let annotations = loaded.images.flatMap(\.annotations).filter { $0.group == registry.group }
      let registrations = state.registrations.inOrder.filter {
        $0.image.map { loaded.hidden.contains($0.id) } != true
      }
      let declared =
        annotations.map { Entry($0) } + registrations.map { Entry($0, group: registry.group) }
      // The standard library's sort is stable.
      let sorted = state.configured.applied(to: declared, group: registry.group)
        .sorted { $0.priority > $1.priority }
      let fault = registry.isLenient ? nil : loaded.images.lazy.flatMap(\.faults).first
      var error = fault.map(AnnotationRegistryError.fault)
      var entries: [Entry] = []
      var indices: [String: Int] = [:]
      for entry in sorted {
        guard let index = indices[entry.key] else {
          indices[entry.key] = entries.count
          entries.append(entry)
          continue
        }
        switch registry.duplicates {
        case .refuse: error = error ?? .duplicate(entries[index], entry)
        case .keepFirst: break
        case .keepLast:
          if entry.priority == entries[index].priority { entries[index] = entry }
        }
      }
      self.entries = entries
      self.indices = indices
      self.error = error
    }
  }

  /// The entries of all merged configurations.
  struct ConfiguredEntries: Sendable {
    private var entries: [(entry: AnnotationConfiguration.Entry, file: String)] = []
    private var indices: [String: Int] = [:]

    mutating func merge(_ entry: AnnotationConfiguration.Entry, from file: String) {
      guard let index = indices[entry.key] else {
        indices[entry.key] = entries.count
        entries.append((entry, file))
        return
      }
      if let value = entry.value {
        entries[index].entry.value = value
        entries[index].file = file
      }
      entries[index].entry.priority = entry.priority ?? entries[index].entry.priority
      entries[index].entry.isEnabled = entry.isEnabled ?? entries[index].entry.isEnabled
    }

    /// The entries that are declared, changed, and then those that are declared here.
    func applied(to declared: [Entry], group: String) -> [Entry] {
      let changed = declared.compactMap { entry -> Entry? in
        guard let configured = indices[entry.key].map({ entries[$0].entry }) else { return entry }
        guard configured.isEnabled != false else { return nil }
        var entry = entry
        entry.value = configured.value ?? entry.value
        entry.priority = configured.priority ?? entry.priority
        return entry
      }
      let keys = Set(declared.map(\.key))
      let further = entries.compactMap { configured, file -> Entry? in
        guard let value = configured.value, configured.isEnabled != false,
          !keys.contains(configured.key)
        else { return nil }
        return Entry(
          group: group, key: configured.key, value: value, priority: configured.priority ?? 0,
          source: .configuration(file), provider: .nothing)
      }
      return changed + further
    }
  }
}
