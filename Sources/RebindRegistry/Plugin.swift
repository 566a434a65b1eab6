public import Rebind

/// A shared library that is opened while the program runs, with its annotations.
///
/// ```swift
/// let plugin = try Plugin(path: "/usr/lib/app/libmail.so")
/// let mail = try services.shared("mail", as: (any MailService).self)
/// plugin.unload()
/// ```
///
/// With `unload()`, or when this goes out of scope, the annotations vanish from the registries
/// at once, and the singletons that they stand for are dropped. They come back when the library
/// is opened again. The same goes for libraries that were loaded along with it.
///
/// A library in C or C++ is gone from memory then, if nobody else has it open. One with Swift code
/// stays mapped until the process ends, as unloading it would leave the Swift runtime with dangling
/// pointers. Its instances go on working. Opened again, it is the same image, and its initialisers
/// do not run again.
public struct Plugin: ~Copyable, Sendable {
  private let library: OpenLibrary

  /// Opens a library: its symbols are bound now, and are not seen by others.
  ///
  /// - Parameter path: A path or name for dlopen, which searches for it if it has no slash.
  /// - Throws: `PluginError` with the loader's text.
  ///
  /// The corresponding C function is `dlopen`.
  public init(path: String) throws(PluginError) {
    library = try OpenLibrary(path: path)
  }

  deinit { library.close() }

  /// The library's image.
  public var image: Image { library.image }

  /// Ends the use of the library; see `Plugin`.
  ///
  /// Call nothing of it afterwards, and have no other thread in it, unless it has Swift code.
  ///
  /// The corresponding C function is `dlclose`.
  public consuming func unload() {}
}

/// Why a shared library could not be opened.
public struct PluginError: Error, Sendable, Hashable {
  /// A kind of failure. Later versions may add some.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `notOpened`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The path has a zero byte.
    public static let invalidPath = Code(rawValue: "invalidPath")
    /// The loader has not opened the library: it is missing, or it cannot be bound.
    public static let notOpened = Code(rawValue: "notOpened")
    /// The images could not be looked at.
    public static let images = Code(rawValue: "images")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public var code: Code
  /// The library's path.
  public var path: String
  /// The loader's text, or the reason in words.
  public var reason: String
  /// For `images`, why they could not be looked at.
  public var underlyingError: RebindError?
}

extension PluginError: CustomStringConvertible {
  /// The loader's message, which mostly begins with the path.
  public var description: String {
    reason.contains(path) ? "cannot open \(reason)" : "cannot open \(path): \(reason)"
  }
}
