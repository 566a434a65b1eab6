#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import Synchronization

/// A `crebind_observation *`, with the closure that it calls.
final class Observation: Sendable {
  private let observer: @Sendable (Image.Event) -> Void
  /// The images that were reported: a removed one cannot be looked up any more.
  private let images = ImageTable()
  private let handle = Mutex<Handle?>(nil)

  /// The core guards it by its own locks.
  private struct Handle: @unchecked Sendable {
    var pointer: OpaquePointer
  }

  init(_ observer: @escaping @Sendable (Image.Event) -> Void) throws(RebindError) {
    self.observer = observer
    // Kept until `end`: the core has our address.
    let context = Unmanaged.passRetained(self).toOpaque()
    var callbacks = crebind_image_observer(
      added: { Observation.tell($1!, $0.pointee, isAdded: true) },
      removed: { Observation.tell($1!, $0.pointee, isAdded: false) }, context: context)
    var pointer: OpaquePointer?
    do throws(RebindError) {
      try calling([]) { crebind_observe(&callbacks, &pointer, $0) }
    } catch {
      Unmanaged<Observation>.fromOpaque(context).release()
      throw error
    }
    handle.withLock { $0 = pointer.map(Handle.init) }
  }

  /// Ends the observation; nothing happens the second time.
  func end() {
    guard let handle = handle.withLock({ $0.take() }) else { return }
    // Waits for a callback that is running elsewhere, so not under our mutex.
    crebind_unobserve(handle.pointer)
    Unmanaged.passUnretained(self).release()
  }

  private static func tell(
    _ context: UnsafeMutableRawPointer, _ info: crebind_image_info, isAdded: Bool
  ) {
    // Retained for the call, which may end the observation.
    let observation = Unmanaged<Observation>.fromOpaque(context).takeUnretainedValue()
    let image = observation.images.image(info)
    if !isAdded { observation.images.remove(image.header) }
    observation.observer(isAdded ? .added(image) : .removed(image))
  }
}
#endif
