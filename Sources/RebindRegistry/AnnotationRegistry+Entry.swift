public import Rebind

extension AnnotationRegistry {
  /// A registry's entry for a key.
  public struct Entry: Sendable {
    /// Where an entry is from.
    public enum Source: Sendable, Hashable {
      /// An annotation in an image.
      case annotation(Annotation)
      /// A call of `register`, at this place.
      case code(file: String, line: Int)
      /// A configuration, which declares the key itself: the file's path, if it is from one.
      case configuration(String)
    }

    /// The registry's group.
    public internal(set) var group: String
    /// The key by which the entry is found.
    public internal(set) var key: String
    /// Further text of the group's annotations; may be empty.
    public internal(set) var value: String
    /// Entries with a higher priority come first.
    public internal(set) var priority: Int
    /// Where it is from. A configuration may have changed value and priority.
    public let source: Source

    let provider: Provider

    /// The annotation that it is from; nil if it is from elsewhere.
    public var annotation: Annotation? {
      if case .annotation(let annotation) = source { annotation } else { nil }
    }

    /// True if the entry can be asked for a type, instances or a pointer.
    public var hasAccessor: Bool {
      switch provider {
      case .accessor(let annotation): annotation.hasAccessor
      case .registration: true
      case .nothing: false
      }
    }
  }

  /// The image or the code that answers for an entry.
  enum Provider: Sendable {
    case accessor(Annotation)
    case registration(Registration)
    case nothing
  }

  /// An entry that code has registered.
  struct Registration: Sendable {
    var id: Int
    var key: String
    var value: String
    var priority: Int
    var file: String
    var line: Int
    /// The image that the code is in, which stays loaded.
    var image: Image?
    var hold: ImageHold?
    var type: Any.Type?
    var create: (@Sendable () throws -> Any)?

    var identity: Identity { .registration(image?.id, id) }
  }
}

extension AnnotationRegistry.Entry {
  init(_ annotation: Annotation) {
    self.init(
      group: annotation.group, key: annotation.key, value: annotation.value,
      priority: annotation.priority, source: .annotation(annotation),
      provider: .accessor(annotation))
  }

  init(_ registration: AnnotationRegistry.Registration, group: String) {
    self.init(
      group: group, key: registration.key, value: registration.value,
      priority: registration.priority,
      source: .code(file: registration.file, line: registration.line),
      provider: .registration(registration))
  }

  /// The identity of its singleton; nil if nothing can be created.
  var identity: AnnotationRegistry.Identity? {
    switch provider {
    case .accessor(let annotation):
      annotation.hasAccessor ? .annotation(annotation.image.id, annotation.offset) : nil
    case .registration(let registration): registration.identity
    case .nothing: nil
    }
  }
}

extension AnnotationRegistry {
  /// Tells what can be created from everything else that can be.
  enum Identity: Hashable, Sendable {
    case annotation(Image.ID, Int)
    case registration(Image.ID?, Int)

    var image: Image.ID? {
      switch self {
      case .annotation(let image, _): image
      case .registration(let image, _): image
      }
    }
  }
}

extension AnnotationRegistry.Entry: Hashable {
  /// True if both are the same record, with the same value and priority.
  public static func == (left: Self, right: Self) -> Bool {
    left.key == right.key && left.group == right.group && left.value == right.value
      && left.priority == right.priority && left.source == right.source
      && left.identity == right.identity
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(group)
    hasher.combine(key)
    hasher.combine(source)
  }
}

extension AnnotationRegistry.Entry: CustomStringConvertible {
  /// `services/mail from libmail.so at offset 48`.
  public var description: String { "\(group)/\(key) from \(source)" }
}

extension AnnotationRegistry.Entry.Source: CustomStringConvertible {
  /// The image and the offset; the file and the line; or the configuration's file.
  public var description: String {
    switch self {
    case .annotation(let annotation):
      "\(annotation.image.name) at offset \(annotation.offset)"
        + (annotation.line.map { ", line \($0)" } ?? "")
    case .code(let file, let line): "\(file):\(line)"
    case .configuration(let file): file.isEmpty ? "a configuration" : file
    }
  }
}
