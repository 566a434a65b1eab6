package import Rebind
package import RebindFiles

/// A file that a loader would load: the one that was asked of, or a library that it needs.
package struct DependencyImage {
  /// A library that an image needs.
  package struct Need {
    package enum Kind: String, CaseIterable {
      /// The corresponding tag is `DT_NEEDED`.
      case needed
      /// Symbols are looked up in it before the image. The corresponding tag is `DT_FILTER`.
      case filter
      /// The same, and it may be missing. The corresponding tag is `DT_AUXILIARY`.
      case auxiliary
    }

    package let name: String
    /// The index of the image that it is; nil if it is missing.
    package let image: Int?
    package let kind: Kind
  }

  /// A version that an image needs, and whether it is there.
  package struct Requirement {
    package enum Status: String {
      case found
      case missing
      /// The library defines no versions, which a loader only warns of.
      case unversioned
      /// The library itself is missing.
      case noLibrary = "no-library"
    }

    /// The library that should have the version, as `DT_NEEDED` names it.
    package let library: String
    package let version: String
    /// True if the program is started without it. The corresponding constant is `VER_FLG_WEAK`.
    package let isWeak: Bool
    package let status: Status

    /// True if a loader would refuse to start the program because the version is missing.
    package var isMissing: Bool { status == .missing && !isWeak }
  }

  /// The name by which the image was first asked for.
  package let name: String
  /// The path of the image, as the loader spells it.
  package let path: FilePath
  /// Nil for the file that was asked about.
  package internal(set) var reason: SearchReason?
  /// The index of the image that was the first to need this one; nil for the file that was asked
  /// about.
  package internal(set) var loadedBy: Int?
  /// True if it is loaded before what the program needs, because a user says so.
  package let isPreloaded: Bool
  package let file: ELFFile
  /// Empty if it has none.
  package let table: DynamicTable
  /// In its order.
  package internal(set) var needs: [Need] = []
  package internal(set) var requirements: [Requirement] = []

  /// Where `$ORIGIN` is.
  let origin: FilePath
  /// Nil if it defines none at all, so that a loader cannot tell whether one is there.
  let definedVersions: Set<String>?
  /// The folders of its `DT_RUNPATH`.
  var runPath: [(entry: String, folder: FilePath)] = []
  /// The folders of its `DT_RPATH`, which counts only without the other.
  var rpath: [(entry: String, folder: FilePath)] = []
  var hasRunPath: Bool { table[.runPath] != nil }
}
