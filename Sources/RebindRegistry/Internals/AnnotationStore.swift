internal import CRebind
internal import Rebind
internal import Synchronization

/// The annotations in the process: one store for all registries.
///
/// Images are read without a lock, and what was read is committed under one if nobody has committed
/// anything else meanwhile. So what is committed is in the order of time, and who holds the
/// loader's lock waits for nobody. Observers get their events in the commits, and are called
/// afterwards.
final class AnnotationStore: Sendable {
  static let shared = AnnotationStore()

  private struct State {
    var loaded = LoadedAnnotations()
    /// `loaded` without what is hidden.
    var visible = VisibleAnnotations([], hidden: [])
    var commits: UInt64 = 0
    /// Plug-ins that were unloaded but are there still, and images whose destructors run.
    var hidden: Set<Image.ID> = []
    /// How many plug-ins are open of an image.
    var plugins: [Image.ID: Int] = [:]
    var observers: [AnnotationObserver] = []
    var registries: [ObjectIdentifier: WeakRegistry] = [:]
  }

  private struct WeakRegistry {
    weak var registry: AnnotationRegistry?
  }

  private let state = Mutex(State())
  private let isListening = Atomic(false)

  private init() {}

  // MARK: - Reading

  /// The annotations that are loaded now; observers are called for new ones.
  func current() throws(RebindError) -> VisibleAnnotations {
    let result = try update()
    tellObservers()
    return result
  }

  private func update() throws(RebindError) -> VisibleAnnotations {
    // Not as the store is made: others wait for that, with the loader's lock perhaps.
    if !isListening.load(ordering: .relaxed),
      !isListening.exchange(true, ordering: .relaxed)
    {
      listen()
    }
    while true {
      let (known, commits, loaded) = state.withLock { state in
        (state.loaded.isCurrent ? state.visible : nil, state.commits, state.loaded)
      }
      if let known { return known }
      let found = try loaded.next()
      let committed = commit { state in
        guard state.commits == commits else { return false }
        // An image that has gone never comes back: another one at its place is not the same.
        state.hidden.subtract(
          Set(state.loaded.images.map(\.image.id)).subtracting(found.images.map(\.image.id)))
        state.loaded = found
        return true
      }
      if let committed { return committed }
    }
  }

  /// Changes what is known; nil if `change` refuses to.
  @discardableResult
  private func commit(_ change: (inout State) -> Bool) -> VisibleAnnotations? {
    let (visible, gone, registries): (VisibleAnnotations?, Set<Image.ID>, [AnnotationRegistry]) =
      state.withLock { state in
        guard change(&state) else { return (nil, [], []) }
        state.commits += 1
        let old = state.visible.images
        let new = state.loaded.images.filter { !state.hidden.contains($0.image.id) }
        let oldIDs = Set(old.map(\.image.id))
        let newIDs = Set(new.map(\.image.id))
        // Others compare by identity.
        if old.map(\.image.id) != new.map(\.image.id) || state.visible.hidden != state.hidden {
          state.visible = VisibleAnnotations(new, hidden: state.hidden)
        }
        let removed = old.filter { !newIDs.contains($0.image.id) }
        let added = new.filter { !oldIDs.contains($0.image.id) }
        for observer in state.observers { observer.enqueue(removed: removed, added: added) }
        return (
          state.visible, oldIDs.subtracting(newIDs).union(state.hidden),
          state.registries.values.compactMap(\.registry)
        )
      }
    // Freeing a singleton may run code, and the last reference to a registry may be ours.
    if !gone.isEmpty { for registry in registries { registry.dropSingletons(of: gone) } }
    return visible
  }

  /// True for an image whose singletons are not kept any more.
  func isHidden(_ image: Image.ID) -> Bool {
    state.withLock { $0.hidden.contains(image) }
  }

  func add(_ registry: AnnotationRegistry) {
    state.withLock {
      $0.registries[ObjectIdentifier(registry)] = WeakRegistry(registry: registry)
    }
  }

  /// Forgets a registry that is being freed.
  func remove(_ registry: AnnotationRegistry) {
    let id = ObjectIdentifier(registry)
    state.withLock { $0.registries[id] = nil }
  }

  // MARK: - Images that announce themselves

  /// Has the core call this for images that announce themselves.
  private func listen() {
    // Kept for ever, as the store is.
    crebind_listen_for_annotations(
      { header, isLoaded, context in
        guard let context else { return }
        let store = Unmanaged<AnnotationStore>.fromOpaque(context).takeUnretainedValue()
        let address = UInt64(UInt(bitPattern: header))
        if isLoaded { store.imageHasCome() } else { store.imageIsGoing(header: address) }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  /// An image's constructor says that it has come; the loader's lock is held. Observers are told
  /// later, by a thread that may wait.
  private func imageHasCome() { _ = try? update() }

  /// An image's destructor says that it is going; the loader's lock is held.
  private func imageIsGoing(header: UInt64) {
    commit { state in
      guard let image = state.loaded.images.first(where: { $0.image.header == header })?.image
      else {
        return false
      }
      state.hidden.insert(image.id)
      return true
    }
  }

  // MARK: - Plug-ins

  /// A plug-in was opened, which has these images, `before` being those that were there.
  ///
  /// - Returns: The images that go with the plug-in.
  func open(_ images: [Image], before: Set<Image.ID>) -> [Image.ID] {
    var members: [Image.ID] = []
    let newest = before.map(\.generation).max() ?? 0
    commit { state in
      // An image that has gone is not seen again; one that came since is not in `before`.
      state.hidden = state.hidden.filter { before.contains($0) || $0.generation > newest }
      for image in images.map(\.id) {
        let isHidden = state.hidden.remove(image) != nil
        guard isHidden || state.plugins[image] != nil || !before.contains(image) else { continue }
        state.plugins[image, default: 0] += 1
        members.append(image)
      }
      return true
    }
    return members
  }

  /// A plug-in is about to be closed.
  func close(_ images: [Image.ID]) {
    commit { state in
      for image in images {
        let count = state.plugins[image] ?? 0
        state.plugins[image] = count > 1 ? count - 1 : nil
        if count <= 1 { state.hidden.insert(image) }
      }
      return true
    }
  }

  /// A plug-in was closed: forgets of its images those that are not loaded any more.
  func forget(_ images: [Image.ID]) {
    guard let loaded = try? Image.all else { return }
    let gone = Set(images).subtracting(loaded.map(\.id))
    guard !gone.isEmpty else { return }
    commit { state in
      state.loaded.remove(gone)
      state.hidden.subtract(gone)
      return true
    }
  }

  // MARK: - Observers

  /// Adds an observer, which is called for the images that are there already.
  func add(_ observer: AnnotationObserver) throws(RebindError) {
    _ = try update()
    state.withLock { state in
      observer.enqueue(removed: [], added: state.visible.images)
      state.observers.append(observer)
    }
  }

  func remove(_ observer: AnnotationObserver) {
    state.withLock { state in state.observers.removeAll { $0 === observer } }
  }

  /// Tells the observers what they have not been told yet.
  func tellObservers() {
    let observers = state.withLock { $0.observers }
    for observer in observers { observer.tell() }
  }
}

/// The annotations of the images that count at one time, told by its identity.
final class VisibleAnnotations: Sendable {
  /// In the loader's order, those without any left out.
  let images: [ImageAnnotations]
  /// The images that are there but do not count: see `AnnotationStore`.
  let hidden: Set<Image.ID>

  init(_ images: [ImageAnnotations], hidden: Set<Image.ID>) {
    self.images = images
    self.hidden = hidden
  }
}

/// The annotations that are loaded now, without those of plug-ins that were unloaded.
func visibleAnnotations() throws(AnnotationRegistryError) -> VisibleAnnotations {
  do throws(RebindError) { return try AnnotationStore.shared.current() } catch {
    throw .images(error)
  }
}
