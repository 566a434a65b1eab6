/// Descriptors that may stay open all the same.
public struct DescriptorAllowance: Sendable, Hashable {
  enum Kind: Hashable {
    case path(String)
    case function(String)
    case image(String)
  }

  let kind: Kind

  /// The descriptors of some files.
  ///
  /// - Parameter pattern: A path, or a pattern as for `fnmatch`: `*` stands for any characters, a `/` too. A pipe
  ///   or socket has the name that `/proc/self/fd` shows, such as `pipe:[1234]`.
  public static func path(_ pattern: String) -> Self { Self(kind: .path(pattern)) }

  /// The descriptors that a function opens.
  ///
  /// - Parameter function: The function's name, as a finding has it. A name that is not among those that are looked
  ///   at is an error.
  public static func calls(of function: String) -> Self { Self(kind: .function(function)) }

  /// The descriptors that an image opens itself.
  ///
  /// - Parameter image: The image's path or file name, such as `libsqlite3.so.0`.
  public static func callers(in image: String) -> Self { Self(kind: .image(image)) }
}
