#if Commands

import FaultVocabulary
import Glibc

/// Calls, in lines.
struct CallTable {
  struct Line {
    var function: RunResult.Function?
    var image: String?
    var calls: UInt64
    /// The calls that failed, by errors: -1 for a failure without one.
    var failures: [CInt: UInt64] = [:]

    var failed: UInt64 { failures.values.reduce(0, +) }

    /// `ENOENT 3, EACCES 1`, the most calls first.
    var errors: String {
      failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0 < 0 ? "NULL" : errorName($0)) \($1)" }.joined(separator: ", ")
    }
  }

  private struct Key: Hashable {
    var function: RunResult.Function?
    var image: String?
  }

  private let by: CountCommand.Grouping
  private let lines: [Line]
  private let hidden: Int
  let total: UInt64
  private let hasResults: Bool
  private let title: String
  private let processes: Int
  let notes: [String]

  /// - Parameter images: Patterns for calling images; none for all.
  ///   - hasResults: Shows how many calls failed.
  ///   - title: Of the column with numbers.
  init(
    _ result: RunResult, by: CountCommand.Grouping, in images: [String], top: Int?,
    hasResults: Bool = false, counting title: String = "calls"
  ) {
    self.by = by
    self.hasResults = hasResults
    self.title = title
    processes = result.processes
    let rows = result.calls.filter { row in
      row.calls > 0 && (images.isEmpty || images.contains { Self.matches($0, row.image) })
    }
    notes =
      rows.isEmpty && result.calls.contains { $0.calls > 0 }
      ? ["no call comes from '\(images.joined(separator: "' or '"))'"] : []
    var sums: [Key: Line] = [:]
    for row in rows {
      let key = Key(
        function: by == .image ? nil : row.function, image: by == .function ? nil : row.image)
      var line = sums[key] ?? Line(function: key.function, image: key.image, calls: 0)
      if let error = row.error {
        line.failures[error, default: 0] += row.calls
      } else {
        line.calls += row.calls
      }
      sums[key] = line
    }
    let sorted = sums.values.sorted {
      ($1.calls, $0.function?.name ?? "", $0.image ?? "", $0.function?.version ?? "")
        < ($0.calls, $1.function?.name ?? "", $1.image ?? "", $1.function?.version ?? "")
    }
    lines = Array(sorted.prefix(top ?? .max))
    hidden = sorted.count - lines.count
    total = rows.reduce(0) { $0 + ($1.error == nil ? $1.calls : 0) }
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
      [title] + (hasResults ? ["failed"] : []) + (by == .image ? [] : ["function"])
      + (by == .function ? ["library"] : ["from"]) + (hasResults ? ["errors"] : [])
    // A name with two versions has them shown.
    let names = Dictionary(grouping: lines.compactMap(\.function), by: \.name)
    let rows = lines.map { line in
      var row = [String(line.calls)]
      if hasResults { row.append(line.failed == 0 ? "" : String(line.failed)) }
      if let function = line.function {
        let hasVersions = Set(names[function.name, default: []].map(\.version)).count > 1
        let version = hasVersions && !function.version.isEmpty ? "@\(function.version)" : ""
        row.append((readable(function.name) ?? function.name) + version)
      }
      row.append(Self.fileName(line.image ?? line.function?.library ?? ""))
      if hasResults { row.append(line.errors) }
      return row.map(printable)
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
        let isNumber = column == 0 || hasResults && column == 1 && row.count > 2
        return isNumber ? padding + cell : column == row.count - 1 ? cell : cell + padding
      }.joined(separator: "  ").trimmingEnd + "\n"
    }.joined()
  }

  // MARK: - CSV and JSON

  func csv() -> String {
    var titles = ["calls"]
    if hasResults { titles.append("failed") }
    if by != .image { titles += ["function", "version", "library"] }
    if by != .function { titles.append("image") }
    if hasResults { titles.append("errors") }
    let rows = lines.map { line in
      var row = [String(line.calls)]
      if hasResults { row.append(String(line.failed)) }
      if let function = line.function {
        row += [function.name, function.version, function.library]
      }
      if let image = line.image { row.append(image) }
      if hasResults { row.append(line.errors) }
      return row
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
      if hasResults {
        let errors = line.failures.sorted { $0.key < $1.key }.map {
          "\(Self.quoted($0 < 0 ? "NULL" : errorName($0))): \($1)"
        }
        members.append(("failed", String(line.failed)))
        members.append(("errors", "{" + errors.joined(separator: ", ") + "}"))
      }
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

extension String {
  /// Without spaces at its end.
  fileprivate var trimmingEnd: Substring {
    self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)]
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
