#if Commands

import ELFInspection

/// A version that a file defines or needs.
struct VersionRow {
  let index: Int
  let name: String
  let flags: UInt16
  let hash: UInt32
  /// The versions that it comes after; empty for one that is needed.
  let parents: [String]

  init(_ definition: FileVersions.Definition) {
    (index, name, flags) = (definition.index, definition.name, definition.flags)
    (hash, parents) = (definition.hash, definition.parents)
  }

  init(_ version: FileVersions.Need.Version) {
    (index, name, flags) = (version.index, version.name, version.flags)
    (hash, parents) = (version.hash, [])
  }

  /// The names of the flags, as text has them.
  var words: [String] {
    (flags & FileVersions.base != 0 ? ["BASE"] : [])
      + (flags & FileVersions.weak != 0 ? ["WEAK"] : [])
  }

  private static let fields: [Field<Self>] = [
    Field("index", .half, "the number that the symbols have for it") { .number($0.index) },
    Field("name", .text, "its name") { .text($0.name) },
    Field(
      "isBase", .bool, "true for the one that stands for the file itself: `VER_FLG_BASE`"
    ) { .bool($0.flags & FileVersions.base != 0) },
    Field("isWeak", .bool, "true if it may be missing: `VER_FLG_WEAK`") {
      .bool($0.flags & FileVersions.weak != 0)
    },
    Field("flagsValue", .half, "the flags as a number") { .number($0.flags) },
    Field("hash", .word, "the hash of the name") { .number($0.hash) },
  ]

  static let definition = Listing<Self>(
    "definedVersion", of: "a version that is defined",
    fields + [
      Field("parents", .texts, "the versions that it comes after") { .texts($0.parents) }
    ])

  private static let need = Listing<Self>("neededVersion", of: "a version that is needed", fields)

  static let library = Listing<NeededVersions>(
    "neededVersions", of: "a library whose versions are needed",
    [
      Field("file", .text, "the library that should have the versions") { .text($0.file) },
      Field("versions", .list(need.record), "the versions") { .list(need, $0.versions) },
    ])
}

/// The versions that a file needs of one library.
struct NeededVersions {
  let file: String
  let versions: [VersionRow]
}

#endif
