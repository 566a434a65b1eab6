#if Commands

import ELFInspection
import RebindFiles

/// The output of `tree` for a file.
struct TreeReport: TableBody {
  let subject: ReportSubject
  let graph: DependencyGraph
  /// Nil for lines.
  let picture: TreePicture?

  static var rowListing: Listing<TreeLine> { TreeLine.listing }

  var rows: [TreeLine] { lines }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    if let picture { return write(picture, in: &output) }
    var table = TreeLine.listing.table()
    for line in lines {
      table.append(
        TreeLine.listing.cells(line), indent: (column: 1, width: 2 * line.depth),
        color: line.isBad ? TextStyle.undefined : nil)
    }
    table.write(style, in: &output)
  }

  /// The tree from top to bottom: what an image needs is below it where the loader came to it
  /// first, and nowhere else.
  private var lines: [TreeLine] {
    var lines: [TreeLine] = []
    var shown: Set<Int> = [0]
    // The lines that are not shown yet, the next one last.
    var root = TreeLine(depth: 0, name: graph.images[0].name, image: 0, graph: graph)
    if graph.interpreterProblem != nil {
      root.notes.append("no-interpreter")
      root.isBad = true
    }
    var pending = [root]
    while let line = pending.popLast() {
      lines.append(line)
      guard let index = line.image, !line.notes.contains(Self.again) else { continue }
      let below = needs(of: index).map { name, image, isOptional in
        var below = TreeLine(depth: line.depth + 1, name: name, image: image, graph: graph)
        below.isOptional = isOptional
        below.isBad = image == nil && !isOptional
        if let image {
          if graph.images[image].loadedBy != index || !shown.insert(image).inserted {
            below.notes.append(Self.again)
          }
          annotate(&below, index)
        }
        return below
      }
      pending += (below + dlopen(of: index, depth: line.depth + 1)).reversed()
    }
    return lines
  }

  /// The libraries that the notes of an image name, each name that is tried behind the other.
  private func dlopen(of index: Int, depth: Int) -> [TreeLine] {
    graph.images[index].dlopen.map { note in
      TreeLine(
        depth: depth, name: note.name, image: nil, graph: graph,
        notes: [note.priority], isDlopen: true)
    }
  }

  private static let again = "again"

  /// The libraries below an image: below the program also those that are preloaded.
  private func needs(of index: Int) -> [(String, Int?, isOptional: Bool)] {
    let preloaded: [(String, Int?, isOptional: Bool)] =
      index > 0
      ? []
      : graph.images.indices.filter { graph.images[$0].isPreloaded }
        .map { (graph.images[$0].name, $0, false) }
        + graph.missing.filter(\.isPreload).map { ($0.name, nil, false) }
    return preloaded
      + graph.images[index].needs.map { ($0.name, $0.image, $0.kind == .auxiliary) }
  }

  /// Notes what an image needs of the library and does not find there.
  private func annotate(_ line: inout TreeLine, _ index: Int) {
    let requirements = graph.images[index].requirements.filter { $0.library == line.name }
    let missing = requirements.filter(\.isMissing)
    if !missing.isEmpty {
      line.notes.append("lacks:" + missing.map(\.version).joined(separator: ":"))
      line.isBad = true
    }
    if requirements.contains(where: { $0.status == .unversioned }) {
      line.notes.append("unversioned")
    }
  }
}

#endif
