public import Rebind

/// An observer of annotations, which is called until this goes out of scope.
///
/// It cannot be copied, so one place ends it; see `ImageObservation`.
public struct AnnotationObservation: ~Copyable, Sendable {
  private let observer: AnnotationObserver

  init(_ observer: AnnotationObserver) throws(RebindError) {
    self.observer = observer
    try observer.begin()
  }

  deinit { observer.end() }

  /// Ends the observation: no callback runs any more after this has returned, unless it is the
  /// one that calls this.
  public consuming func end() {}
}

extension AnnotationRegistry {
  /// An image with annotations of the group has come or gone.
  public enum Event: Sendable, Hashable {
    /// The image is loaded; what is readable of it, in the order of the section.
    case added(Image, [Annotation])
    /// The image and its annotations as they were. Their types and instances cannot be asked for
    /// any more.
    case removed(Image, [Annotation])

    /// The image that has come or gone.
    public var image: Image {
      switch self {
      case .added(let image, _), .removed(let image, _): image
      }
    }

    /// The image's annotations of the group.
    public var annotations: [Annotation] {
      switch self {
      case .added(_, let annotations), .removed(_, let annotations): annotations
      }
    }
  }

  /// Reports to `observer` the images with annotations of the group that are loaded now, and each
  /// that comes or goes later.
  ///
  /// The observer is called without any lock, one event at a time, in the order in which the images
  /// came and went. It runs on the thread that calls dlopen or dlclose, before that returns, or
  /// that opens or unloads a `Plugin`. Other loads reach it on the next thread that looks at a
  /// registry. It may call anything. If that loads or unloads images, the observer is called for
  /// them within that call.
  ///
  /// No event of an image that announces itself is lost, however short it stays. Images without
  /// macros do not announce themselves: the observer misses one that has gone before anybody
  /// looked.
  ///
  /// - Returns: A value that ends the observation when it goes out of scope, or earlier by a call.
  /// - Throws: `RebindError`.
  public func observe(
    _ observer: @escaping @Sendable (Event) -> Void
  ) throws(RebindError) -> AnnotationObservation {
    try AnnotationObservation(AnnotationObserver(group: group, observer))
  }

  /// The events that `observe` reports, as a sequence.
  ///
  /// Events wait in memory until they are taken. The observation ends with the task that takes
  /// them, or when nobody has the sequence any more.
  ///
  /// - Throws: `RebindError`.
  public func events() throws(RebindError) -> AsyncStream<Event> {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let observer = AnnotationObserver(group: group) { continuation.yield($0) }
    try observer.begin()
    continuation.onTermination = { _ in observer.end() }
    return events
  }
}

extension AnnotationRegistry.Event: CustomStringConvertible {
  /// `added libmail.so at 0x7f…: services/mail`.
  public var description: String {
    let keys = annotations.map { "\($0.group)/\($0.key)" }.joined(separator: ", ")
    switch self {
    case .added(let image, _): return "added \(image): \(keys)"
    case .removed(let image, _): return "removed \(image): \(keys)"
    }
  }
}
