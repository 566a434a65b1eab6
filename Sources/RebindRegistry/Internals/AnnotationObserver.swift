internal import Rebind
internal import Synchronization

/// An observer of a registry's images, with the events that it has not been told yet.
final class AnnotationObserver: Sendable {
  private struct State: Sendable {
    var events: [AnnotationRegistry.Event] = []
    var teller: ThreadID?
    var hasEnded = false
  }

  private let group: String
  private let callback: @Sendable (AnnotationRegistry.Event) -> Void
  private let state = Monitor(State())
  private let images = Mutex<ImageObservation?>(nil)

  init(group: String, _ callback: @escaping @Sendable (AnnotationRegistry.Event) -> Void) {
    self.group = group
    self.callback = callback
  }

  /// Tells of what is there, and of what comes and goes from now on.
  func begin() throws(RebindError) {
    let store = AnnotationStore.shared
    try store.add(self)
    tell()
    do throws(RebindError) {
      var observation = Optional(try Image.observe { _ in _ = try? store.current() })
      images.withLock { $0 = observation.take() }
    } catch {
      // In a static executable no slot of dlopen can be watched; nothing is loaded either, or it
      // announces itself.
      guard error.code == .staticExecutable else {
        end()
        throw error
      }
    }
  }

  /// No callback runs any more after this has returned, unless it is the one that calls this.
  func end() {
    AnnotationStore.shared.remove(self)
    state.waiting { state -> Void? in
      state.hasEnded = true
      state.events = []
      return state.teller == nil || state.teller == .current ? () : nil
    }
    images.withLock { $0.take() }?.end()
  }

  func enqueue(removed: [ImageAnnotations], added: [ImageAnnotations]) {
    func events(
      _ images: [ImageAnnotations], _ event: (Image, [Annotation]) -> AnnotationRegistry.Event
    ) -> [AnnotationRegistry.Event] {
      images.compactMap { found in
        let annotations = found.annotations.filter { $0.group == group }
        return annotations.isEmpty ? nil : event(found.image, annotations)
      }
    }
    let new =
      events(removed, AnnotationRegistry.Event.removed)
      + events(added, AnnotationRegistry.Event.added)
    guard !new.isEmpty else { return }
    state.withLock { state in
      if !state.hasEnded { state.events += new }
    }
  }

  /// Calls back, one event at a time. Nobody waits: if another thread is telling, that one
  /// goes on with what is new.
  func tell() {
    let me = ThreadID.current
    let role: (isTelling: Bool, isOutermost: Bool) = state.withLock { state in
      let isOutermost = state.teller == nil
      if isOutermost { state.teller = me }
      return (state.teller == me, isOutermost)
    }
    guard role.isTelling else { return }
    func next() -> AnnotationRegistry.Event? {
      state.withLock { state in
        guard state.events.isEmpty else { return state.events.removeFirst() }
        // In one step with the look, so that nothing stays behind.
        if role.isOutermost { state.teller = nil }
        return nil
      }
    }
    while let event = next() { callback(event) }
  }
}
