internal import Synchronization

/// The annotations of a group, over all images that are loaded, and what they stand for.
///
/// ```swift
/// let services = AnnotationRegistry(group: "services")
/// for entry in try services.entries { print(entry) }
/// let mail = try services.shared("mail", as: (any MailService).self)
/// ```
///
/// Entries with a higher priority come first, then they are in the order of the images and of
/// their sections; what code has registered follows, then what a configuration declares.
/// Images that come and go are noticed at the next look. While none does, a look costs one walk
/// over the images.
///
/// Any thread may use a registry.
public final class AnnotationRegistry: Sendable {
  /// What to do with several entries of one key.
  public enum DuplicatePolicy: Sendable, Hashable {
    /// Throw `AnnotationError.duplicate`.
    case refuse
    /// Keep the one with the highest priority; of equal ones the first.
    case keepFirst
    /// Keep the one with the highest priority; of equal ones the last.
    case keepLast
  }

  /// Whose annotations these are.
  public let group: String
  /// What is done with several entries of one key.
  public let duplicates: DuplicatePolicy
  /// What is readable counts; otherwise one bad record in any image is an error.
  public let isLenient: Bool

  struct State: Sendable {
    var registrations: [Registration] = []
    var nextRegistration = 0
    var configured = ConfiguredEntries()
    /// Changes with the above.
    var version: UInt64 = 0
    var view: View?
    var singletons: [Identity: Singleton] = [:]
  }

  /// A value that was created once.
  struct Singleton: Sendable {
    // Sendable, as it was asked for as a type that is.
    nonisolated(unsafe) let value: Any
    /// Keeps the image of the code loaded.
    let hold: ImageHold?
  }

  let state = Mutex(State())

  /// A registry of a group's annotations, of the images that are loaded now or later.
  ///
  /// - Parameters:
  ///   - group: Whose annotations.
  ///   - duplicates: What to do with several entries of one key.
  ///   - isLenient: Whether to go on after a bad record; `faults` has it then.
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
  /// - Throws: `AnnotationError`: `fault`, `duplicate` or `images`.
  /// - Complexity: O(images) while nothing changes; else O(*n* log *n*) in the annotations.
  public var entries: [Entry] {
    get throws(AnnotationError) { try view().entries }
  }

  /// The entry of a key; nil if there is none.
  ///
  /// - Throws: As `entries`.
  /// - Complexity: As `entries`.
  public func entry(for key: String) throws(AnnotationError) -> Entry? {
    let view = try view()
    return view.indices[key].map { view.entries[$0] }
  }

  /// The records that a lenient registry has passed over, of all groups: they cannot say
  /// theirs.
  ///
  /// - Throws: As `entries`; never `fault`.
  /// - Complexity: As `entries`.
  public var faults: [AnnotationFault] {
    get throws(AnnotationError) { try loadedAnnotations().images.flatMap(\.faults) }
  }

  /// The entries as they are now.
  private func view() throws(AnnotationError) -> View {
    let loaded = try loadedAnnotations()
    let (known, state) = state.withLock { state in
      let view = state.view
      let isCurrent = view?.loaded === loaded && view?.version == state.version
      return (isCurrent ? view : nil, state)
    }
    let view = known ?? View(of: self, loaded: loaded, state: state)
    if known == nil {
      // Freed without the lock: the code of what was registered may run then.
      var replaced: View?
      self.state.withLock { current in
        guard current.version == view.version else { return }
        replaced = current.view
        current.view = view
      }
      withExtendedLifetime(replaced) {}
    }
    if let error = view.error { throw error }
    return view
  }
}

// MARK: - Code

extension AnnotationRegistry {
  /// Registers a type from code, and how to create an instance of it.
  ///
  /// The image that the call is in stays loaded for good, as it has Swift code. If it is a
  /// `Plugin`, what it has registered goes with it, and comes back when it is loaded again.
  ///
  /// - Parameters:
  ///   - key: What the entry is found by: not empty.
  ///   - value: What else the group's entries have to say.
  ///   - priority: Those with a higher one come first.
  ///   - file: Where the call is, for messages.
  ///   - line: Where the call is, for messages.
  ///   - image: An address in the image that the call is in.
  ///   - create: Makes a new instance, on any thread.
  public func register<Value>(
    _ key: String, value: String = "", priority: Int = 0, file: String = #fileID,
    line: Int = #line, image: UnsafeRawPointer = #dsohandle,
    create: @escaping @Sendable () throws -> Value
  ) {
    register(
      Registration(
        id: 0, key: key, value: value, priority: priority, file: file, line: line,
        type: Value.self, create: create), address: image)
  }

  /// Registers a type from code.
  ///
  /// - Parameters:
  ///   - key: What the entry is found by: not empty.
  ///   - value: What else the group's entries have to say.
  ///   - priority: Those with a higher one come first.
  ///   - file: Where the call is, for messages.
  ///   - line: Where the call is, for messages.
  ///   - image: An address in the image that the call is in.
  ///   - type: What `type(for:as:)` gives for the key.
  public func register(
    _ key: String, value: String = "", priority: Int = 0, file: String = #fileID,
    line: Int = #line, image: UnsafeRawPointer = #dsohandle, type: Any.Type
  ) {
    register(
      Registration(
        id: 0, key: key, value: value, priority: priority, file: file, line: line, type: type),
      address: image)
  }

  private func register(_ registration: Registration, address: UnsafeRawPointer) {
    var registration = registration
    registration.image = try? Image.containing(UInt(bitPattern: address))
    registration.hold = registration.image.flatMap { try? ImageHold($0) }
    state.withLock { state in
      state.nextRegistration += 1
      registration.id = state.nextRegistration
      state.registrations.append(registration)
      state.version += 1
    }
  }

  /// Takes back what `register` was called with for a key, and its singleton.
  public func unregister(_ key: String) {
    // Freed without the lock: their code may run then.
    var dropped: [Registration] = []
    var singletons: [Singleton] = []
    var view: View?
    state.withLock { state in
      dropped = state.registrations.filter { $0.key == key }
      state.registrations.removeAll { $0.key == key }
      for registration in dropped {
        if let singleton = state.singletons.removeValue(forKey: registration.identity) {
          singletons.append(singleton)
        }
      }
      // It has them, too.
      view = state.view
      state.view = nil
      state.version += 1
    }
    withExtendedLifetime((dropped, singletons, view)) {}
  }

  /// Drops the singletons of images that go.
  func dropSingletons(of images: Set<Image.ID>) {
    var dropped: [Singleton] = []
    state.withLock { state in
      for identity in state.singletons.keys where identity.image.map(images.contains) == true {
        if let singleton = state.singletons.removeValue(forKey: identity) {
          dropped.append(singleton)
        }
      }
    }
    // Without the lock: their code runs now.
    dropped.removeAll()
  }
}

// MARK: - Configuration

extension AnnotationRegistry {
  /// Has a configuration's last word on values and priorities, and on which keys there are.
  ///
  /// It stands above annotations and code, whenever these come; what is merged later stands
  /// above what was merged before, for each of a key's values. An entry with a value, for a key
  /// that nothing declares, declares it.
  ///
  /// - Parameters:
  ///   - configuration: What is said of this group and others.
  ///   - file: The path of the configuration's file, for errors.
  /// - Throws: `AnnotationError.configuration` for a key that is empty or there twice, and then
  ///   nothing is merged.
  public func merge(
    _ configuration: AnnotationConfiguration, from file: String = ""
  ) throws(AnnotationError) {
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
