#if Commands

import ELFInspection
import RebindFiles

/// What `tree` found for a file.
struct TreeReport: ReportBody {
  let subject: ReportSubject
  let graph: DependencyGraph
  /// Nil for lines.
  let picture: TreePicture?

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    if let picture { return write(picture, in: &output) }
    var table = TextTable([
      .init(title: "DEPTH", isRight: true), .init(title: "NAME"), .init(title: "REASON"),
      .init(title: "OF"), .init(title: "PATH"), .init(title: "NOTE"),
    ])
    for row in rows {
      let image = row.image.map { graph.images[$0] }
      let owner = image?.reason?.image.map { graph.images[$0].path.text }
      let reason = image.map { $0.isPreloaded ? "preload" : $0.reason?.code ?? "" } ?? "missing"
      table.append(
        [
          String(row.depth), row.name, reason, owner ?? "", image?.path.text ?? "",
          row.notes.joined(separator: ","),
        ],
        indent: (column: 1, width: 2 * row.depth),
        color: row.isBad ? TextStyle.undefined : nil)
    }
    table.write(style, in: &output)
  }

  /// A line of the tree.
  private struct Row {
    let depth: Int
    let name: String
    let image: Int?
    var notes: [String] = []
    var isBad = false
  }

  /// The tree from top to bottom: what an image needs is below it where the loader came to it
  /// first, and nowhere else.
  private var rows: [Row] {
    var rows: [Row] = []
    var shown: Set<Int> = [0]
    // What is still to be shown, the next one last.
    var root = Row(depth: 0, name: graph.images[0].name, image: 0)
    if graph.interpreterProblem != nil {
      root.notes.append("no-interpreter")
      root.isBad = true
    }
    var pending = [root]
    while let row = pending.popLast() {
      rows.append(row)
      guard let index = row.image, !row.notes.contains(Self.again) else { continue }
      let below = needs(of: index).map { name, image in
        var below = Row(depth: row.depth + 1, name: name, image: image)
        below.isBad = image == nil
        if let image {
          if graph.images[image].loadedBy != index || !shown.insert(image).inserted {
            below.notes.append(Self.again)
          }
          annotate(&below, index)
        }
        return below
      }
      pending += below.reversed()
    }
    return rows
  }

  private static let again = "again"

  /// What is below an image: below the program also what is preloaded.
  private func needs(of index: Int) -> [(String, Int?)] {
    let preloaded: [(String, Int?)] =
      index > 0
      ? []
      : graph.images.indices.filter { graph.images[$0].isPreloaded }
        .map { (graph.images[$0].name, $0) }
        + graph.missing.filter(\.isPreload).map { ($0.name, nil) }
    return preloaded + graph.images[index].needs.map { ($0.name, $0.image) }
  }

  /// Notes what an image needs of the library and does not find there.
  private func annotate(_ row: inout Row, _ index: Int) {
    let requirements = graph.images[index].requirements.filter { $0.library == row.name }
    let missing = requirements.filter(\.isMissing)
    if !missing.isEmpty {
      row.notes.append("lacks:" + missing.map(\.version).joined(separator: ":"))
      row.isBad = true
    }
    if requirements.contains(where: { $0.status == .unversioned }) {
      row.notes.append("unversioned")
    }
  }
}

#endif
