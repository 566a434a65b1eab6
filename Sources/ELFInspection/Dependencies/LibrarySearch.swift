package import RebindFiles

/// The settings that a search for libraries starts from, beside the files themselves.
package struct LibrarySearch: Sendable {
  /// The folder that stands for "/"; nil for "/" itself.
  package var root: FilePath?
  /// The value of `LD_LIBRARY_PATH`.
  package var libraryPath: String
  /// The value of `LD_PRELOAD`.
  package var preload: String

  package init(root: FilePath? = nil, libraryPath: String = "", preload: String = "") {
    self.root = root
    self.libraryPath = libraryPath
    self.preload = preload
  }
}

/// Why a library was found where it was.
package enum SearchReason: Sendable, Hashable {
  /// It is asked for by its path.
  case path
  /// By the `DT_RPATH` of the image with this index, of which this is the entry.
  case rpath(of: Int, entry: String)
  /// By the `DT_RUNPATH` of the image with this index, of which this is the entry.
  case runPath(of: Int, entry: String)
  /// By this entry of `LD_LIBRARY_PATH`.
  case environment(entry: String)
  /// By the loader's cache.
  case cache
  /// In this folder, which the loader looks into by itself.
  case folder(String)
  /// It is the program's loader, which is there before any library is looked for.
  case loader
}

/// Why a file that bears a library's name was not taken.
package struct RejectedLibrary: Sendable {
  package let path: FilePath
  package let why: String
}

/// A library that was not found.
package struct MissingLibrary: Sendable {
  package let name: String
  /// The index of the image that needs it first.
  package let neededBy: Int
  /// True if it was to be preloaded.
  package let isPreload: Bool
  /// The folders where it was looked for, in their order.
  package let searched: [FilePath]
  /// Files that bear the name. A loader gives up at a broken one: it is the last.
  package let rejected: [RejectedLibrary]
}
