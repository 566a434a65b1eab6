#if Commands

import Rebind
import RebindFiles

/// What `sections` found in a file.
struct SectionsReport: ReportBody {
  let subject: ReportSubject
  let sections: [FileSection]

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "INDEX", isRight: true), .init(title: "TYPE"),
      .init(title: "ADDRESS", isRight: true), .init(title: "OFFSET", isRight: true),
      .init(title: "SIZE", isRight: true), .init(title: "ENTRY", isRight: true),
      .init(title: "FLAGS"), .init(title: "LINK", isRight: true),
      .init(title: "INFO", isRight: true), .init(title: "ALIGN", isRight: true),
      .init(title: "NAME"),
    ])
    for entry in sections {
      let section = entry.section
      table.append([
        entry.index.map(String.init) ?? "", section.type.term(on: subject.machine),
        hexadecimal(section.address), entry.fileOffset.map { hexadecimal($0) } ?? "",
        String(section.size), String(section.entrySize), section.flags.description,
        String(entry.link), String(entry.info), String(section.alignment), section.name,
      ])
    }
    if sections.isEmpty { return style.tell("no section headers", in: &output) }
    table.write(style, in: &output)
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "sectionSource", text: sections.first?.section.provenance.code)
    output.append(text: ",\"sections\":[")
    var isFirst = true
    for section in sections {
      output.begin(isFirst: &isFirst, separator)
      write(section, in: &output)
    }
    output.append(text: "]")
  }

  private func write(_ entry: FileSection, in output: inout OutputBuffer) {
    let section = entry.section
    output.append(text: "{\"index\":\(entry.index.map(String.init) ?? "null")")
    output.append(key: "name", text: section.name)
    output.append(key: "type", text: section.type.term(on: subject.machine))
    output.append(key: "typeValue", number: section.type.rawValue)
    output.append(key: "address", hex: section.address)
    output.append(key: "offset", hex: entry.fileOffset)
    output.append(key: "size", number: section.size)
    output.append(key: "entrySize", number: section.entrySize)
    output.append(key: "flags", text: section.flags.description)
    output.append(key: "flagsValue", hex: section.flags.rawValue)
    output.append(key: "link", number: entry.link)
    output.append(key: "info", number: entry.info)
    output.append(key: "alignment", number: section.alignment)
    output.append(text: "}")
  }
}

#endif
