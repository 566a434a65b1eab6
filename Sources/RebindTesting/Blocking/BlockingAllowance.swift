/// Calls that may block a thread of Swift's pool all the same.
public struct BlockingAllowance: Sendable, Hashable {
  enum Kind: Hashable {
    case group(BlockingGroup)
    case function(String)
    case image(String)
  }

  let kind: Kind

  /// The calls of a group.
  public static func calls(in group: BlockingGroup) -> Self { Self(kind: .group(group)) }

  /// The calls of ``BlockingGroup/files``: `fsync`, `fdatasync` and `flock`.
  public static let files = calls(in: .files)

  /// The calls of a function.
  ///
  /// - Parameter function: The function's name, as a finding has it. A name that is not among those that are looked
  ///   at is an error.
  public static func calls(of function: String) -> Self { Self(kind: .function(function)) }

  /// The calls that an image makes itself.
  ///
  /// - Parameter image: The image's path or file name, such as `libsqlite3.so.0`.
  public static func callers(in image: String) -> Self { Self(kind: .image(image)) }
}
