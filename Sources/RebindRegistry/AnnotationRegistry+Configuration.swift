internal import Rebind
internal import Synchronization

extension AnnotationRegistry {
  /// Gives a configuration precedence for keys, values and priorities.
  ///
  /// It stands above annotations and code, whenever these come. A configuration that is merged
  /// later stands above earlier ones, value by value. An entry with a value, for a key that nothing
  /// declares, declares it.
  ///
  /// - Parameters:
  ///   - configuration: The settings for this group and others.
  ///   - file: The path of the configuration's file, for errors.
  /// - Throws: `AnnotationRegistryError.configuration` for a key that is empty or there twice, and then
  ///   nothing is merged.
  public func merge(
    _ configuration: AnnotationConfiguration, from file: String = ""
  ) throws(AnnotationRegistryError) {
    let entries = configuration.groups[group] ?? []
    var keys: Set<String> = []
    for (index, entry) in entries.enumerated() {
      let path = "\(group)[\(index)].key"
      guard !entry.key.isEmpty else {
        throw .configuration(file: file, path: path, reason: "the key is empty")
      }
      guard keys.insert(entry.key).inserted else {
        throw .configuration(
          file: file, path: path, reason: "\(entry.key) is there twice")
      }
    }
    state.withLock { state in
      for entry in entries { state.configured.merge(entry, from: file) }
      state.version += 1
    }
  }
}
