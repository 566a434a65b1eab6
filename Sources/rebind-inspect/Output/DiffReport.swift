#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// What `diff` found between two files, or a file and an image of a process.
struct DiffReport: ReportBody {
  /// The first file.
  let subject: ReportSubject
  /// The second file, or the image's.
  let other: FilePath
  /// The process that has the image; nil for a file.
  var pid: Int32?
  let changes: [FileChange]

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: " "), .init(title: "KIND"), .init(title: "NAME"),
      .init(title: "VALUE", isLine: true),
    ])
    for change in changes {
      if let before = word(change.before, change) {
        table.append(["-", change.kind.rawValue, change.name, before], color: TextStyle.removed)
      }
      if let after = word(change.after, change) {
        table.append(["+", change.kind.rawValue, change.name, after], color: TextStyle.added)
      }
    }
    if !changes.isEmpty { table.write(style, in: &output) }
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "otherPath", other)
    if let pid { output.append(key: "pid", number: pid) }
    output.append(key: "isEqual", changes.isEmpty)
    output.append(text: ",\"changes\":[")
    var isFirst = true
    for change in changes {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"kind\":\"\(change.kind.rawValue)\"")
      output.append(key: "name", text: change.name)
      output.append(key: "before", text: word(change.before, change))
      output.append(key: "after", text: word(change.after, change))
      output.append(text: "}")
    }
    output.append(text: "]")
  }

  /// What a file says, with the names that the headers' numbers have.
  private func word(_ value: String?, _ change: FileChange) -> String? {
    guard change.kind == .header, let number = value.flatMap({ UInt16($0) }) else { return value }
    return switch change.name {
    case "machine": Machine(rawValue: number).word
    case "type": ImageType(rawValue: number).word
    default: value
    }
  }
}

#endif
