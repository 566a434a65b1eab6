public import Rebind
internal import Synchronization

/// The annotations of a group, over all loaded images, and the types and instances behind them.
///
/// ```swift
/// let services = AnnotationRegistry(group: "services")
/// for entry in try services.entries { print(entry) }
/// let mail = try services.shared("mail", as: (any MailService).self)
/// ```
///
/// Entries with a higher priority come first, then they are in the order of the images and of their
/// sections. Registrations by code follow, then the keys that a configuration declares. Images that
/// come and go are noticed at the next look. While none does, a look costs one walk over the
/// images.
///
/// Any thread may use a registry.
public final class AnnotationRegistry: Sendable {
  /// How to treat several entries of one key.
  public enum DuplicatePolicy: Sendable, Hashable {
    /// Throw `AnnotationRegistryError.duplicate`.
    case refuse
    /// Keep the one with the highest priority; of equal ones the first.
    case keepFirst
    /// Keep the one with the highest priority; of equal ones the last.
    case keepLast
  }

  /// The group of the annotations.
  public let group: String
  /// How several entries of one key are treated.
  public let duplicates: DuplicatePolicy
  /// If true, bad records are skipped; otherwise one bad record in any image is an error.
  public let isLenient: Bool

  struct State: Sendable {
    var registrations = Registrations()
    var nextRegistration = 0
    var configured = ConfiguredEntries()
    /// Changes with the above.
    var version: UInt64 = 0
    var view: View?
    var singletons: [Identity: Singleton] = [:]
  }

  /// A value that was created once.
  struct Singleton: Sendable {
    // The value is Sendable, because the caller asked for it as a Sendable type.
    nonisolated(unsafe) let value: Any
    /// Keeps the image of the code loaded.
    let hold: ImageHold?
  }

  let state = Mutex(State())

  /// A registry of a group's annotations, of the images that are loaded now or later.
  ///
  /// - Parameters:
  ///   - group: The group of the annotations.
  ///   - duplicates: How to treat several entries of one key.
  ///   - isLenient: Whether to skip bad records, which `faults` has then.
  public init(
    group: String, duplicates: DuplicatePolicy = .refuse, isLenient: Bool = false
  ) {
    self.group = group
    self.duplicates = duplicates
    self.isLenient = isLenient
    AnnotationStore.shared.add(self)
  }

  deinit { AnnotationStore.shared.remove(self) }
}

extension AnnotationRegistry {
  /// All entries, in the registry's order.
  ///
  /// - Throws: `AnnotationRegistryError`: `fault`, `duplicate` or `images`.
  /// - Complexity: O(images) while nothing changes; else O(*n* log *n*) in the annotations.
  public var entries: [Entry] {
    get throws(AnnotationRegistryError) { try view().entries }
  }

  /// The entry of a key, or nil.
  ///
  /// - Throws: The same errors as `entries`.
  /// - Complexity: The same as for `entries`.
  public func entry(for key: String) throws(AnnotationRegistryError) -> Entry? {
    let view = try view()
    return view.indices[key].map { view.entries[$0] }
  }

  /// The records that a lenient registry has skipped, of all groups: their group is
  /// unknown.
  ///
  /// - Throws: The same errors as `entries`, but never `fault`.
  /// - Complexity: The same as for `entries`.
  public var faults: [AnnotationFault] {
    get throws(AnnotationRegistryError) { try visibleAnnotations().images.flatMap(\.faults) }
  }

  /// The entries as they are now.
  private func view() throws(AnnotationRegistryError) -> View {
    let loaded = try visibleAnnotations()
    let known = state.withLock { state in
      state.view?.loaded === loaded && state.view?.version == state.version ? state.view : nil
    }
    let view = known ?? makeView(of: loaded)
    if let error = view.error { throw error }
    return view
  }

  /// The entries of what is loaded, which are kept if nothing changes meanwhile.
  private func makeView(of loaded: VisibleAnnotations) -> View {
    let view = View(of: self, loaded: loaded, state: state.withLock { $0 })
    // Freed without the lock: the code of what was registered may run then.
    var replaced: View?
    state.withLock { current in
      guard current.version == view.version else { return }
      replaced = current.view
      current.view = view
    }
    withExtendedLifetime(replaced) {}
    return view
  }
}
