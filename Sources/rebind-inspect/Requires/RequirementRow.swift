#if Commands

import ELFInspection
import RebindFiles

/// A requirement of a file, or the oldest known release of a distribution that meets them all.
struct RequirementRow: Sendable {
  enum Kind: String, CaseIterable {
    case libc, version, mark, level, dlopen, system
  }

  let kind: Kind
  /// The library, the names of a note, or a distribution.
  let name: String
  /// The version, the level, the priority or the release; nil for none.
  let version: String?
  /// For a version or a mark, the version of a system library that came with it; nil if that is not
  /// known.
  var since: String?
  var symbols: [String] = []
  /// Nil unless they are asked for.
  var demangledSymbols: [String]?
  /// The file or library that asks for it.
  let image: FilePath?
  /// In words, or the source of the facts.
  var note: String?
  /// All that is known of the version or the mark; nil for rows of other kinds.
  var asked: FileRequirements.Version?

  static let listing = Listing<Self>(
    "systemRequirement", of: "a requirement",
    [
      Field("kind", "KIND", .words(Kind.allCases.map(\.rawValue)), "one of the words below") {
        .text($0.kind.rawValue)
      },
      Field(
        "name", "NAME", .text,
        "the library, the names that are tried, the distribution, `cpu`, or the C library"
      ) { .text($0.name) },
      Field(
        "version", "VERSION", .text.orNull,
        """
        the version, the level, the priority of a note, or the oldest known release; `null` if it \
        is newer than all that are known
        """
      ) { .text($0.version) },
      Field(
        "since", .text.orNull,
        """
        of a version of glibc, libstdc++ or libgcc itself, and of a mark of theirs the version that came \
        with it; `null` for others, and if it is not known
        """
      ) { .text($0.since) },
      Field(
        "symbols", Column("SYMBOLS", isMangled: true, place: 1), .texts,
        "the symbols that ask for the version; empty for a mark, and for all else"
      ) { .texts($0.symbols) },
      Field(
        "demangledSymbols", Column("READABLE", isLine: true, place: 2), .texts,
        "the same with readable names, where they are mangled", when: .demangled,
        text: { $0.demangledSymbols?.joined(separator: ", ") ?? "" }
      ) { $0.demangledSymbols.map { .texts($0) } },
      Field(
        "image", .text.orNull,
        "the path of the file or library that asks for it; `null` for `system`"
      ) { .text($0.image?.text) },
      Field(
        "note", Column("NOTE", isLine: true), .text.orNull,
        "the reason or the source, as people read it; its words may change"
      ) { .text($0.note) },
    ])
}

extension RequirementRow.Kind {
  var meaning: String {
    switch self {
    case .libc:
      """
      the C library that the file is for: `glibc`, `musl`, or `other`, such as Android's. `none` for a \
      file that names no library, such as a static program or an object file
      """
    case .version:
      "the highest version of its kind that is asked for of a library, and the symbols to blame"
    case .mark:
      """
      a version that no symbol asks for, such as `GLIBC_ABI_DT_RELR`: the library has to be \
      new enough to define it
      """
    case .level: "the level of the instruction set that the processor needs"
    case .dlopen:
      """
      a library that it may load with `dlopen`, by a note of its authors: `required`, \
      `recommended` or `suggested`
      """
    case .system:
      """
      the oldest known release of a distribution whose C library, libstdc++ and libgcc have all \
      versions and marks. Without a release it is newer than all that are known
      """
    }
  }
}

#endif
