extension FileChange {
  /// The effect of a change on callers: images that were linked with the first file, and run with the second.
  ///
  /// The parameters of a function and the fields of a structure leave no trace in these facts: a change
  /// of those has no effect here.
  package enum Effect: String, CaseIterable, Sendable {
    /// Some callers do not start any more, or behave differently.
    case breaking
    /// Callers could notice it, and go on.
    case compatible
    /// Callers do not notice it.
    case neutral
  }
}

/// The definitions of a file, by their names.
struct Exports {
  private let texts: [ExactText: ExactText]
  /// For each name without a version, the name with the version that a reference without a version
  /// is bound to.
  private var defaults: [ExactText: ExactText] = [:]

  init(_ texts: [ExactText: ExactText]) {
    self.texts = texts
    for name in texts.keys {
      guard let mark = name.string.firstRange(of: "@@") else { continue }
      defaults[ExactText(String(name.string[..<mark.lowerBound]))] = name
    }
  }

  /// If a definition is gone, returns the text of the one that references are bound to instead; nil
  /// for none.
  func heir(of name: String) -> String? {
    let base = name.prefix { $0 != "@" }
    let version = name.dropFirst(base.count).drop { $0 == "@" }
    // A caller that is linked anew needs a default definition.
    guard let current = defaults[ExactText(String(base))] else { return nil }
    if version.isEmpty { return texts[current]?.string }
    let found = texts[ExactText("\(base)@\(version)")] ?? texts[ExactText("\(base)@@\(version)")]
    return found?.string
  }
}

extension FileChange.Effect {
  /// The rules, which the page of `diff` has in words.
  ///
  /// - Parameter exports: The definitions of the second file.
  init(
    of kind: FileChange.Kind, _ name: String, _ before: String?, _ after: String?,
    _ exports: Exports
  ) {
    self =
      switch kind {
      case .header: .breaking
      case .soname: before == nil ? .compatible : .breaking
      case .needed: before == nil ? .breaking : .compatible
      case .definedVersion: after == nil ? .breaking : before == nil ? .compatible : .neutral
      case .export: Self.ofExport(name, before, after, exports)
      case .buildID, .interpreter, .neededOrder, .searchPath, .neededVersion, .exportValue, .import,
        .slot, .slotValue, .hardening:
        .neutral
      }
  }

  private static func ofExport(
    _ name: String, _ before: String?, _ after: String?, _ exports: Exports
  ) -> Self {
    guard let before else { return .compatible }
    guard let after = after ?? exports.heir(of: name) else { return .breaking }
    return Definition(before).effect(of: Definition(after))
  }

  /// The text of an export: `OBJECT 8 WEAK`.
  private struct Definition {
    let type: Substring
    let size: UInt64?
    let isWeak: Bool

    init(_ text: String) {
      let words = text.split(separator: " ")
      type = words.first ?? ""
      size = words.dropFirst().first.flatMap { UInt64($0) }
      isWeak = words.last == "WEAK"
    }

    func effect(of other: Self) -> FileChange.Effect {
      let functions: Set<Substring> = ["FUNC", "IFUNC", "NOTYPE"]
      guard type == other.type || functions.isSuperset(of: [type, other.type]),
        isWeak || !other.isWeak
      else { return .breaking }
      guard let size, let otherSize = other.size, size != otherSize else { return .compatible }
      // A program may have a copy of data, of the size that it was linked with. Nobody copies thread-local data.
      return type == "TLS" && otherSize > size ? .compatible : .breaking
    }
  }
}
