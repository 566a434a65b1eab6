#if Commands

import ELFInspection
import Rebind

/// What `segments` found in a file.
struct SegmentsReport: ReportBody {
  let subject: ReportSubject
  let segments: [FileSegment]
  let interpreter: String?

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "INDEX", isRight: true), .init(title: "TYPE"),
      .init(title: "OFFSET", isRight: true), .init(title: "ADDRESS", isRight: true),
      .init(title: "PHYSICAL", isRight: true), .init(title: "FILESIZE", isRight: true),
      .init(title: "MEMSIZE", isRight: true), .init(title: "MODE"),
      .init(title: "ALIGN", isRight: true), .init(title: "SECTIONS", isLine: true),
    ])
    for entry in segments {
      let segment = entry.segment
      var sections = entry.sections.isEmpty ? "-" : entry.sections.joined(separator: ",")
      if segment.type == .interpreter, let interpreter { sections += " \(interpreter)" }
      table.append([
        String(entry.index), segment.type.term(on: subject.machine),
        hexadecimal(segment.fileOffset), hexadecimal(segment.address),
        hexadecimal(entry.physicalAddress), String(segment.fileSize), String(segment.memorySize),
        segment.permissions.description, hexadecimal(segment.alignment), sections,
      ])
    }
    if !segments.isEmpty { table.write(style, in: &output) }
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "interpreter", text: interpreter)
    output.append(text: ",\"segments\":[")
    var isFirst = true
    for segment in segments {
      output.begin(isFirst: &isFirst, separator)
      write(segment, in: &output)
    }
    output.append(text: "]")
  }

  private func write(_ entry: FileSegment, in output: inout OutputBuffer) {
    let segment = entry.segment
    output.append(text: "{\"index\":\(entry.index)")
    output.append(key: "type", text: segment.type.term(on: subject.machine))
    output.append(key: "typeValue", number: segment.type.rawValue)
    output.append(key: "offset", hex: segment.fileOffset)
    output.append(key: "address", hex: segment.address)
    output.append(key: "physicalAddress", hex: entry.physicalAddress)
    output.append(key: "fileSize", number: segment.fileSize)
    output.append(key: "memorySize", number: segment.memorySize)
    output.append(key: "permissions", text: segment.permissions.description)
    output.append(key: "permissionsValue", number: segment.permissions.rawValue)
    output.append(key: "alignment", number: segment.alignment)
    output.append(key: "sections", texts: entry.sections)
    output.append(text: "}")
  }
}

#endif
