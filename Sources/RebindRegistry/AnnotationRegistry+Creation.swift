internal import Rebind
internal import Synchronization

extension AnnotationRegistry {
  /// The Swift type that a key stands for.
  ///
  /// - Throws: `AnnotationRegistryError`.
  ///
  /// The corresponding request is `REBIND_REQUEST_TYPE`.
  public func type(for key: String) throws(AnnotationRegistryError) -> Any.Type {
    try type(for: key, as: Any.Type.self)
  }

  /// The Swift type that a key stands for, as the metatype of a protocol or class.
  ///
  /// ```swift
  /// let module = try modules.type(for: "Mail", as: (any Module.Type).self)
  /// ```
  ///
  /// - Throws: `AnnotationRegistryError`; `wrongType` if it is another type, or does not conform.
  ///
  /// The corresponding request is `REBIND_REQUEST_TYPE`.
  public func type<Metatype>(
    for key: String, as metatype: Metatype.Type
  ) throws(AnnotationRegistryError) -> Metatype {
    try answering(key) { (entry) throws(AnnotationRegistryError) in
      let found = try askedType(of: entry)
      guard let result = found as? Metatype else {
        throw .wrongType(
          AnnotationTypeMismatch(
            entry, expected: Metatype.self, found: found, isInstance: false))
      }
      return result
    }
  }

  /// A new instance of a key's type.
  ///
  /// - Throws: `AnnotationRegistryError`; `wrongType` if it is of another type, `cycle` if creating it
  ///   needs a new instance of itself.
  ///
  /// The corresponding request is `REBIND_REQUEST_INSTANCE`.
  public func make<Instance>(
    _ key: String, as type: Instance.Type = Instance.self
  ) throws(AnnotationRegistryError) -> Instance {
    try answering(key) { (entry) throws(AnnotationRegistryError) in
      try cast(creating(entry), of: entry)
    }
  }

  /// The shared instance for a key, created when it is first asked for. Another registry of the
  /// same group has its own.
  ///
  /// Several threads that ask at once get the same one: the others wait. The registry drops the
  /// instance when its image is unloaded; its owners may keep it.
  ///
  /// - Throws: `AnnotationRegistryError`; `wrongType` if it is of another type, `cycle` if creating it
  ///   needs itself, even across threads.
  ///
  /// The corresponding request is `REBIND_REQUEST_INSTANCE`.
  public func shared<Instance: Sendable>(
    _ key: String, as type: Instance.Type = Instance.self
  ) throws(AnnotationRegistryError) -> Instance {
    try answering(key) { (entry) throws(AnnotationRegistryError) in
      try cast(singleton(entry), of: entry)
    }
  }

  /// The C pointer that a key stands for. It usually leads into the image that declares the
  /// annotation: do not use it once that image is gone.
  ///
  /// - Throws: `AnnotationRegistryError`.
  ///
  /// The corresponding request is `REBIND_REQUEST_POINTER`.
  public func pointer(for key: String) throws(AnnotationRegistryError) -> UnsafeMutableRawPointer {
    try answering(key) { (entry) throws(AnnotationRegistryError) in
      guard case .accessor(let annotation) = entry.provider, let answer = try askPointer(annotation)
      else { throw .noAnswer(entry, .pointer) }
      return answer
    }
  }

  /// Calls `body` with the entry of a key, again if its image has gone before it was asked.
  private func answering<Result>(
    _ key: String, _ body: (Entry) throws(AnnotationRegistryError) -> Result
  ) throws(AnnotationRegistryError) -> Result {
    for _ in 0..<3 {
      guard let entry = try entry(for: key) else { break }
      do throws(AnnotationRegistryError) { return try body(entry) } catch {
        guard (error.underlyingError as? RebindError)?.code == .noSuchImage,
          error.code == .images
        else {
          creations.note(error)
          throw error
        }
      }
    }
    let error = AnnotationRegistryError.unknownKey(
      key, group: group, among: (try? entries)?.map(\.key) ?? [])
    creations.note(error)
    throw error
  }

  private func cast<Instance>(
    _ found: Any, of entry: Entry
  ) throws(AnnotationRegistryError) -> Instance {
    guard let result = found as? Instance else {
      throw .wrongType(
        AnnotationTypeMismatch(
          entry, expected: Instance.self, found: Swift.type(of: found), isInstance: true))
    }
    return result
  }

  // MARK: - Asking

  private func askedType(of entry: Entry) throws(AnnotationRegistryError) -> Any.Type {
    switch entry.provider {
    case .accessor(let annotation):
      if let type = try askType(annotation) { return type }
    case .registration(let registration):
      if let type = registration.type { return type }
    case .nothing: break
    }
    throw .noAnswer(entry, .type)
  }

  /// A new instance, with a cycle noticed.
  private func creating(_ entry: Entry) throws(AnnotationRegistryError) -> Any {
    guard let identity = entry.identity else { throw .noAnswer(entry, .instance) }
    try creations.begin(Creation(self, entry, identity))
    defer { creations.end() }
    return try instance(of: entry)
  }

  private func instance(of entry: Entry) throws(AnnotationRegistryError) -> Any {
    switch entry.provider {
    case .accessor(let annotation):
      if let instance = try askInstance(annotation) { return instance }
    case .registration(let registration):
      if let create = registration.create {
        do { return try create() } catch {
          // An error of another annotation that the instance needs says more.
          throw (error as? AnnotationRegistryError) ?? .creation(entry, error)
        }
      }
    case .nothing: break
    }
    // A failable initialiser may have asked for what is not there.
    throw creations.noted() ?? .noAnswer(entry, .instance)
  }

  private func singleton(_ entry: Entry) throws(AnnotationRegistryError) -> Any {
    guard let identity = entry.identity else { throw .noAnswer(entry, .instance) }
    func known() -> Singleton? { state.withLock { $0.singletons[identity] } }
    if let known = known() { return known.value }
    // The loader is asked for this before other threads may wait for this one.
    let hold = try hold(of: entry)
    let creation = Creation(self, entry, identity)
    let other = try creations.beginAlone(creation, unless: known)
    if let other { return other.value }
    defer { creations.end() }
    let instance = try instance(of: entry)
    let singleton = Singleton(value: instance, hold: hold)
    state.withLock { state in
      // If the annotation has been removed meanwhile, its singleton is not kept.
      if case .registration = identity,
        !state.registrations.contains(identity, for: entry.key)
      {
        return
      }
      state.singletons[identity] = singleton
    }
    // If the image has gone meanwhile, its singletons were dropped before this one was stored.
    if let image = identity.image, AnnotationStore.shared.isHidden(image) {
      dropSingletons(of: [image])
    }
    return instance
  }

  private func hold(of entry: Entry) throws(AnnotationRegistryError) -> ImageHold? {
    guard case .accessor(let annotation) = entry.provider else { return nil }
    do throws(RebindError) { return try ImageHold(annotation.image) } catch {
      throw .images(error)
    }
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
