#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension TreeReport {
  /// An image, or a library that is missing, or that an image may load with `dlopen`.
  private struct Node {
    let label: String
    var isMissing = false
    var isDlopen = false
  }

  /// A library that an image needs, or that the program is given.
  private struct Edge {
    let from: Int
    let to: Int
    var isPreload = false
    /// The versions that are not there.
    var lacks = ""
    /// The priority of a library that an image may load with `dlopen`; nil for others.
    var dlopen: String?
  }

  /// Writes the images as nodes, and what they need as edges between them.
  func write(_ picture: TreePicture, in output: inout OutputBuffer) {
    var nodes =
      graph.images.map { Node(label: $0.reason == nil ? $0.path.text : $0.name) }
      + graph.missing.map { Node(label: $0.name, isMissing: true) }
    var edges: [Edge] = []
    for index in graph.images.indices where graph.images[index].isPreloaded {
      edges.append(Edge(from: 0, to: index, isPreload: true))
    }
    for (index, missing) in graph.missing.enumerated() where missing.isPreload {
      edges.append(Edge(from: 0, to: graph.images.count + index, isPreload: true))
    }
    for (index, image) in graph.images.enumerated() {
      for need in image.needs where need.image != nil || need.kind != .auxiliary {
        let absent = graph.missing.firstIndex { $0.name == need.name } ?? 0
        let lacks = image.requirements.filter { $0.isMissing && $0.library == need.name }
        edges.append(
          Edge(
            from: index, to: need.image ?? graph.images.count + absent,
            lacks: lacks.map(\.version).joined(separator: " ")))
      }
    }
    appendDlopen(&nodes, &edges)
    switch picture {
    case .dot: writeDot(nodes, edges, in: &output)
    case .mermaid: writeMermaid(nodes, edges, in: &output)
    }
  }

  /// Appends the libraries that notes name: a node each, or the image that the loader loads anyway.
  private func appendDlopen(_ nodes: inout [Node], _ edges: inout [Edge]) {
    var places: [String: Int] = [:]
    for (index, image) in graph.images.enumerated() {
      for name in [image.name, image.table.soname].compactMap({ $0 }) where places[name] == nil {
        places[name] = index
      }
    }
    for (index, image) in graph.images.enumerated() {
      for note in image.dlopen {
        let place = note.sonames.lazy.compactMap { places[$0] }.first ?? places[note.name]
        if place == nil {
          places[note.name] = nodes.count
          nodes.append(Node(label: note.name, isDlopen: true))
        }
        edges.append(Edge(from: index, to: place ?? nodes.count - 1, dlopen: note.priority))
      }
    }
  }

  private func writeDot(_ nodes: [Node], _ edges: [Edge], in output: inout OutputBuffer) {
    func quoted(_ text: String) -> String {
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    output.append(text: "digraph dependencies {\n  node [shape=box];\n")
    for (index, node) in nodes.enumerated() {
      output.append(text: "  n\(index) [label=\(quoted(plain(node.label)))")
      output.append(
        text: node.isMissing
          ? ", color=red, style=dashed];\n" : node.isDlopen ? ", style=dashed];\n" : "];\n")
    }
    for edge in edges {
      var attributes: [String] = []
      if edge.isPreload { attributes.append("style=dotted") }
      if !edge.lacks.isEmpty {
        attributes += ["color=red", "label=\(quoted(plain(edge.lacks)))"]
      }
      if let priority = edge.dlopen {
        attributes += ["style=dashed", "label=\(quoted(plain("dlopen: \(priority)")))"]
      }
      output.append(text: "  n\(edge.from) -> n\(edge.to)")
      output.append(
        text: attributes.isEmpty ? ";\n" : " [\(attributes.joined(separator: ", "))];\n")
    }
    output.append(text: "}\n")
  }

  private func writeMermaid(_ nodes: [Node], _ edges: [Edge], in output: inout OutputBuffer) {
    func quoted(_ text: String) -> String {
      "\"" + text.replacing("#", with: "#35;").replacing("\"", with: "#quot;") + "\""
    }
    output.append(text: "flowchart TD\n")
    for (index, node) in nodes.enumerated() {
      output.append(text: "  n\(index)[\(quoted(plain(node.label)))]\n")
    }
    for edge in edges {
      let label = edge.dlopen.map { "dlopen: \($0)" } ?? edge.lacks
      let line = edge.isPreload || edge.dlopen != nil ? "-.->" : "-->"
      let arrow = label.isEmpty ? line : "\(line)|\(quoted(plain(label)))|"
      output.append(text: "  n\(edge.from) \(arrow) n\(edge.to)\n")
    }
    if nodes.contains(where: \.isMissing) {
      output.append(text: "  classDef missing stroke:red,stroke-dasharray:5\n")
      for (index, node) in nodes.enumerated() where node.isMissing {
        output.append(text: "  class n\(index) missing\n")
      }
    }
  }

  /// The text without what could end a line or control a terminal.
  private func plain(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(scalar.isControl ? "\u{FFFD}" : scalar) }
    return String(scalars)
  }
}

#endif
