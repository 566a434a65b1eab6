/// An annotation in a file that is not loaded.
///
/// Documentation/ABI/Annotations.md describes how it is stored.
public struct FileAnnotation: Sendable, Hashable {
  /// The group that it is in; never empty.
  public var group: String
  /// The key by which it is found; never empty.
  public var key: String
  /// Further text for the key; may be empty.
  public var value: String
  /// Annotations with a higher priority come first in their group.
  public var priority: Int32
  /// The line of the source that it is from; nil if the record has none.
  public var line: Int?
  /// The function that a registry calls for the annotated type or instance. It is never called
  /// here.
  public var accessor: Accessor?
  /// Where the record is, in bytes from the section's start.
  public var offset: Int

  /// Where an accessor is.
  public enum Accessor: Sendable, Hashable {
    /// At this link-time address.
    case address(UInt64)
    /// Where a linker or the loader will put it: the file is relocatable, or another image has
    /// the function.
    case unresolved
  }
}

extension FileAnnotation: CustomStringConvertible {
  /// `modules: Mail = MailModule`.
  public var description: String {
    value.isEmpty ? "\(group): \(key)" : "\(group): \(key) = \(value)"
  }
}
