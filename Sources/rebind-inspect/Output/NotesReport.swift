#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// What `notes` found in a file.
struct NotesReport: ReportBody {
  let subject: ReportSubject
  let notes: [FileNote]

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "SECTION"), .init(title: "OFFSET", isRight: true),
      .init(title: "SIZE", isRight: true), .init(title: "OWNER"), .init(title: "TYPE"),
      .init(title: "CONTENT", isLine: true),
    ])
    for note in notes {
      table.append([
        note.section ?? "", hexadecimal(note.offset), String(note.bytes.count), note.owner,
        noteTerm(note.type, of: note.owner), note.content?.text ?? note.hexadecimalBytes,
      ])
    }
    if !notes.isEmpty { table.write(style, in: &output) }
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(text: ",\"notes\":[")
    var isFirst = true
    for note in notes {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"offset\":\"\(hexadecimal(note.offset))\"")
      output.append(key: "section", text: note.section)
      output.append(key: "owner", text: note.owner)
      output.append(key: "type", text: noteTerm(note.type, of: note.owner))
      output.append(key: "typeValue", number: note.type)
      output.append(key: "size", number: note.bytes.count)
      output.append(key: "bytes", text: note.hexadecimalBytes)
      output.append(text: ",\"content\":")
      if let content = note.content {
        write(content, in: &output)
      } else {
        output.append(text: "null")
      }
      output.append(text: "}")
    }
    output.append(text: "]")
  }

  /// An object with the kind, and what there is of that kind.
  private func write(_ content: NoteContent, in output: inout OutputBuffer) {
    output.append(text: "{\"kind\":")
    switch content {
    case .buildID(let buildID):
      output.append(text: "\"buildID\",\"buildID\":\"\(buildID)\"")
    case .abiTag(let system, let version):
      output.append(text: "\"abiTag\",\"system\":\"\(system)\",\"version\":\"\(version)\"")
    case .text(let text):
      output.append(text: "\"text\"")
      output.append(key: "text", text: text)
    case .index(let section):
      output.append(text: "\"section\"")
      output.append(key: "name", text: section.name)
      output.append(key: "address", hex: section.address)
      output.append(key: "size", number: section.size)
    case .probe(let probe):
      output.append(text: "\"probe\"")
      output.append(key: "provider", text: probe.provider)
      output.append(key: "name", text: probe.name)
      output.append(key: "location", hex: probe.location)
      output.append(key: "base", hex: probe.base)
      output.append(key: "semaphore", hex: probe.semaphore == 0 ? nil : probe.semaphore)
      output.append(key: "arguments", text: probe.arguments)
    case .properties(let properties):
      output.append(text: "\"properties\",\"properties\":[")
      for (place, property) in properties.enumerated() {
        output.append(text: place == 0 ? "" : ",")
        output.append(text: "{\"type\":\"\(property.term)\"")
        output.append(key: "typeValue", number: property.type)
        output.append(key: "value", hex: property.value)
        output.append(key: "flags", texts: property.flags)
        output.append(text: "}")
      }
      output.append(text: "]")
    }
    output.append(text: "}")
  }
}

extension FileNote {
  var hexadecimalBytes: String {
    var text = ""
    for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return text
  }
}

extension NoteProperty {
  /// The constant without its `GNU_PROPERTY_`, or else the range that the number lies in.
  var term: String {
    if let name { return name }
    return switch type {
    case 0xc000_0000...0xdfff_ffff: "LOPROC+\(type - 0xc000_0000)"
    case 0xe000_0000...0xffff_ffff: "LOUSER+\(type - 0xe000_0000)"
    default: "UNKNOWN+\(type)"
    }
  }
}

extension NoteContent {
  /// What it says, as a line.
  var text: String {
    switch self {
    case .buildID(let buildID): "\(buildID)"
    case .abiTag(let system, let version): "\(system) \(version)"
    case .text(let text): text
    case .index(let section):
      "\(section.name) \(hexadecimal(section.address)) \(section.size)"
    case .probe(let probe):
      "\(probe.provider) \(probe.name) \(hexadecimal(probe.location)) "
        + "\(hexadecimal(probe.base)) "
        + "\(probe.semaphore == 0 ? "-" : hexadecimal(probe.semaphore)) "
        + (probe.arguments.isEmpty ? "-" : probe.arguments)
    case .properties(let properties):
      properties.map { property in
        let flags = property.flags.map { $0.isEmpty ? "-" : $0.joined(separator: ",") }
        let value = flags ?? property.value.map { hexadecimal($0) }
        return value.map { "\(property.term)=\($0)" } ?? property.term
      }.joined(separator: " ")
    }
  }
}

#endif
