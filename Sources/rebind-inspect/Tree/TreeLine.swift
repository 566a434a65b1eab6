#if Commands

import ELFInspection
import RebindFiles

/// A line of the tree: an image below one that needs it.
struct TreeLine {
  let depth: Int
  let name: String
  /// The index of the image; nil if the library is missing.
  let image: Int?
  let graph: DependencyGraph
  var notes: [String] = []
  var isBad = false
  /// True if it may be missing.
  var isOptional = false
  /// True for a library that a note says the image may load; it is not looked for.
  var isDlopen = false

  static let listing = Listing<Self>(
    "treeLine", of: "a line",
    [
      Field(
        "depth", Column("DEPTH", isRight: true), .count, "how far it is below the file"
      ) { .number($0.depth) },
      Field("name", "NAME", .text, "the name that it is asked for by") { .text($0.name) },
      Field("reason", "REASON", .text.orNull, "the reason why it was found there; see below") {
        line in
        .text(
          line.isDlopen
            ? "dlopen"
            : line.found.map { $0.isPreloaded ? "preload" : $0.reason?.code }
              ?? (line.isOptional ? "absent" : "missing"))
      },
      Field("searchPathOf", "OF", .text.orNull, "the image whose search path it was") { line in
        .text(line.found?.reason?.image.map { line.graph.images[$0].path.text })
      },
      Field("library", "PATH", .text.orNull, "the path as the loader would spell it") {
        .text($0.found?.path.text)
      },
      Field(
        "note", "NOTE", .text.orNull,
        """
        `again` if it is shown in full elsewhere; `lacks:` and the versions that are missing; \
        `unversioned` for a library that defines none; or `no-interpreter` if the loader is missing. \
        Of a `dlopen`, its priority: `required`, `recommended` or `suggested`
        """
      ) { .text($0.notes.isEmpty ? nil : $0.notes.joined(separator: ",")) },
    ])

  private var found: DependencyImage? { image.map { graph.images[$0] } }
}

#endif
