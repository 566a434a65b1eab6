#if Commands

import Glibc

/// Calls, in lines.
struct CallTable {
  struct Line {
    var function: RunResult.Function?
    var image: String?
    var calls: UInt64
  }

  private struct Key: Hashable {
    var function: RunResult.Function?
    var image: String?
  }

  private let by: CountCommand.Grouping
  private let lines: [Line]
  private let hidden: Int
  private let total: UInt64
  private let processes: Int
  let notes: [String]

  /// - Parameter images: Patterns for calling images; none for all.
  init(_ result: RunResult, by: CountCommand.Grouping, in images: [String], top: Int?) {
    self.by = by
    processes = result.processes
    let rows = result.calls.filter { row in
      row.calls > 0 && (images.isEmpty || images.contains { Self.matches($0, row.image) })
    }
    notes =
      rows.isEmpty && result.calls.contains { $0.calls > 0 }
      ? ["no call comes from '\(images.joined(separator: "' or '"))'"] : []
    let sums = Dictionary(
      rows.map {
        (
          Key(function: by == .image ? nil : $0.function, image: by == .function ? nil : $0.image),
          $0.calls
        )
      }, uniquingKeysWith: +)
    let sorted = sums.map { Line(function: $0.function, image: $0.image, calls: $1) }.sorted {
      ($1.calls, $0.function?.name ?? "", $0.image ?? "", $0.function?.version ?? "")
        < ($0.calls, $1.function?.name ?? "", $1.image ?? "", $1.function?.version ?? "")
    }
    lines = Array(sorted.prefix(top ?? .max))
    hidden = sorted.count - lines.count
    total = rows.reduce(0) { $0 + $1.calls }
  }

  private static func matches(_ pattern: String, _ image: String) -> Bool {
    fnmatch(pattern, image, 0) == 0 || fnmatch(pattern, fileName(image), 0) == 0
  }

  private static func fileName(_ path: String) -> String {
    path.isEmpty ? "(no image)" : String(path.split(separator: "/").last ?? "")
  }

  // MARK: - Text

  func text() -> String {
    let titles =
      ["calls"] + (by == .image ? [] : ["function"]) + (by == .function ? ["library"] : ["from"])
    // A name with two versions has them shown.
    let names = Dictionary(grouping: lines.compactMap(\.function), by: \.name)
    let rows = lines.map { line in
      var row = [String(line.calls)]
      if let function = line.function {
        let hasVersions = Set(names[function.name, default: []].map(\.version)).count > 1
        let version = hasVersions && !function.version.isEmpty ? "@\(function.version)" : ""
        row.append((readable(function.name) ?? function.name) + version)
      }
      row.append(Self.fileName(line.image ?? line.function?.library ?? ""))
      return row.map(Self.printable)
    }
    let others = hidden > 0 ? ", \(hidden) more lines" : ""
    let end = [
      String(total), "total, \(processes) \(processes == 1 ? "process" : "processes")\(others)",
    ]
    let widths = titles.indices.map { column in
      (rows + [titles, [end[0]]]).map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return ([titles] + rows + [end]).map { row in
      row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
        return column == 0 ? padding + cell : column == row.count - 1 ? cell : cell + padding
      }.joined(separator: "  ") + "\n"
    }.joined()
  }

  /// The text without what controls a terminal.
  private static func printable(_ text: String) -> String {
    String(
      text.flatMap { character -> String in
        guard
          let scalar = character.unicodeScalars.first(where: {
            $0.properties.generalCategory == .control
          })
        else { return String(character) }
        return "\\x" + String(scalar.value, radix: 16)
      })
  }

  // MARK: - CSV and JSON

  func csv() -> String {
    let titles =
      ["calls"] + (by == .image ? [] : ["function", "version", "library"])
      + (by == .function ? [] : ["image"])
    let rows = lines.map { line in
      [String(line.calls)] + (line.function.map { [$0.name, $0.version, $0.library] } ?? [])
        + (line.image.map { [$0] } ?? [])
    }
    return ([titles] + rows).map { row in
      row.map { cell in
        cell.contains { ",\"\r\n".contains($0) }
          ? "\""
            + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(
              separator: "\"\"") + "\""
          : cell
      }.joined(separator: ",") + "\n"
    }.joined()
  }

  /// One object, with the names as they stand in the files.
  func json(of program: [String], notes: [String]) -> String {
    let entries = lines.map { line in
      var members = [("calls", String(line.calls))]
      if let function = line.function {
        members.append(("function", Self.quoted(function.name)))
        if let name = readable(function.name) { members.append(("readable", Self.quoted(name))) }
        if !function.version.isEmpty { members.append(("version", Self.quoted(function.version))) }
        members.append(("library", Self.quoted(function.library)))
      }
      if let image = line.image { members.append(("image", Self.quoted(image))) }
      return "    {" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
    return """
      {
        "program": [\(program.map(Self.quoted).joined(separator: ", "))],
        "total": \(total),
        "processes": \(processes),
        "hiddenLines": \(hidden),
        "notes": [\(notes.map(Self.quoted).joined(separator: ", "))],
        "lines": [
      \(entries.joined(separator: ",\n"))
        ]
      }

      """
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// The name that C++ or Swift code has for a function; nil if it is not mangled.
private func readable(_ name: String) -> String? {
  let isSwift = ["$s", "$S", "$e"].contains { name.hasPrefix($0) }
  // The demanglers recurse with the depth of a name.
  guard isSwift || name.hasPrefix("_Z"), name.utf8.count <= 1 << 14 else { return nil }
  guard
    let text = isSwift
      ? swiftDemangle(name, name.utf8.count, nil, nil, 0) : cxxDemangle(name, nil, nil, nil)
  else { return nil }
  defer { free(text) }
  return String(cString: text) == name ? nil : String(cString: text)
}

/// The corresponding function of the Swift runtime is `swift_demangle`.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// The corresponding function of the C++ ABI is `abi::__cxa_demangle`.
@_silgen_name("__cxa_demangle")
private func cxxDemangle(
  _ name: UnsafePointer<CChar>, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ status: UnsafeMutablePointer<Int32>?
) -> UnsafeMutablePointer<CChar>?

#endif
