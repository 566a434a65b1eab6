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

  static let listing = Listing<Self>(
    "treeLine", of: "a line",
    [
      Field(column: Column("DEPTH", isRight: true), "how far it is below the file") {
        String($0.depth)
      },
      Field(column: "NAME", "the name that it is asked for by") { $0.name },
      Field(column: "REASON", "the reason why it was found there; see below") { line in
        line.found.map { $0.isPreloaded ? "preload" : $0.reason?.code ?? "" }
          ?? (line.isOptional ? "absent" : "missing")
      },
      Field(column: "OF", "the image whose search path it was") { line in
        line.found?.reason?.image.map { line.graph.images[$0].path.text } ?? ""
      },
      Field(column: "PATH", "the path as the loader would spell it") {
        $0.found?.path.text ?? ""
      },
      Field(
        column: "NOTE",
        """
        `again` if it is shown in full elsewhere; `lacks:` and the versions that are missing; \
        `unversioned` for a library that defines none; or `no-interpreter` if the loader is missing
        """
      ) { $0.notes.joined(separator: ",") },
    ])

  private var found: DependencyImage? { image.map { graph.images[$0] } }
}

#endif
