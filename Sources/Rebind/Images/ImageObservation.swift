#if os(Linux) && !REBIND_ELSEWHERE
/// An observer of images, which is called until this goes out of scope.
///
/// It cannot be copied, so one place ends it; a property of a class or of another such type holds
/// it for longer. Assigned to `_` it goes at once: end its scope with `end()`.
public struct ImageObservation: ~Copyable, Sendable {
  private let observation: Observation

  init(_ observer: @escaping @Sendable (Image.Event) -> Void) throws(RebindError) {
    observation = try Observation(observer)
  }

  deinit { observation.end() }

  /// Ends the observation: no callback runs any more after this has returned, unless
  /// it is the one that calls this.
  ///
  /// The corresponding C function is `crebind_unobserve`.
  public consuming func end() {}
}

extension Image {
  /// An image has come or gone.
  public enum Event: Sendable, Hashable {
    /// The image is loaded.
    case added(Image)
    /// The image as it was: it cannot be looked at any more.
    case removed(Image)

    /// The image that has come or gone.
    public var image: Image {
      switch self {
      case .added(let image), .removed(let image): image
      }
    }
  }

  /// Reports every loaded image to `observer` now, and each that comes or goes later.
  ///
  /// The observer is called without any lock, one event at a time. It runs on the thread that
  /// called dlopen or dlclose, before that returns, or on one that calls `refresh()`. A new image's
  /// constructors have run by then. The observer may call anything; images that it loads are
  /// reported at once.
  ///
  /// - Returns: A value that ends the observation when it goes out of scope, or earlier by a call.
  /// - Throws: `RebindError`.
  ///
  /// The corresponding C function is `crebind_observe`.
  public static func observe(
    _ observer: @escaping @Sendable (Event) -> Void
  ) throws(RebindError) -> ImageObservation {
    try ImageObservation(observer)
  }

  /// Every loaded image now, and each that comes or goes later, in the order of `observe`.
  ///
  /// Events wait in memory until they are taken. Ending the loop or its task ends the
  /// observation.
  ///
  /// - Throws: `RebindError`.
  public static func events() throws(RebindError) -> AsyncStream<Event> {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let observation = try Observation { continuation.yield($0) }
    continuation.onTermination = { _ in observation.end() }
    return events
  }
}

extension Image.Event: CustomStringConvertible {
  /// `added libz.so.1 at 0x7f…`.
  public var description: String {
    switch self {
    case .added(let image): "added \(image)"
    case .removed(let image): "removed \(image)"
    }
  }
}
#endif
