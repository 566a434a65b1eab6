internal import CRebind

/// Has the core call `tell` for images that announce themselves, from their constructors and
/// destructors, with the loader's lock held.
///
/// - Parameter tell: Gets the address of the image's headers, and whether it comes. Kept for ever.
func listenForAnnotations(_ tell: @escaping @Sendable (UInt64, Bool) -> Void) {
  crebind_listen_for_annotations(
    { header, isLoaded, context in
      guard let context else { return }
      let listener = Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue()
      listener.tell(UInt64(UInt(bitPattern: header)), isLoaded)
    }, Unmanaged.passRetained(Listener(tell)).toOpaque())
}

/// A closure, whose address C takes.
private final class Listener: Sendable {
  let tell: @Sendable (UInt64, Bool) -> Void
  init(_ tell: @escaping @Sendable (UInt64, Bool) -> Void) { self.tell = tell }
}
