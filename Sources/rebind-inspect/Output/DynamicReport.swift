#if Commands

import ELFInspection
import Rebind

/// What `dynamic` found in a file.
struct DynamicReport: ReportBody {
  let subject: ReportSubject
  /// Nil if the file has no dynamic table.
  let table: DynamicTable?
  let versions: FileVersions

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    guard let table else { return }
    var lines = TextTable([
      .init(title: "TAG"), .init(title: "VALUE", isRight: true),
      .init(title: "MEANING", isLine: true),
    ])
    for entry in table.entries {
      lines.append([
        entry.tag.term(on: subject.machine), hexadecimal(entry.value),
        entry.string ?? meaning(of: entry) ?? "",
      ])
    }
    for definition in versions.definitions {
      var words = [definition.name]
      if definition.flags & FileVersions.base != 0 { words.append("BASE") }
      if definition.flags & FileVersions.weak != 0 { words.append("WEAK") }
      if !definition.parents.isEmpty { words += ["after"] + definition.parents }
      lines.append(["DEFINES", String(definition.index), words.joined(separator: " ")])
    }
    for need in versions.needs {
      for version in need.versions {
        var words = [need.file, version.name]
        if version.flags & FileVersions.weak != 0 { words.append("WEAK") }
        lines.append(["NEEDS", String(version.index), words.joined(separator: " ")])
      }
    }
    lines.write(style, in: &output)
  }

  /// What a value that is no string means; nil for an address, which speaks for itself.
  private func meaning(of entry: DynamicTable.Entry) -> String? {
    if let flags = flags(of: entry) { return flags.joined(separator: " ") }
    switch entry.tag {
    case .jumpSlotRelocationsKind:
      return DynamicTag(rawValue: Int64(truncatingIfNeeded: entry.value)).description
    case .jumpSlotRelocationsSize, .addendRelocationsSize, .addendRelocationSize,
      .stringTableSize, .symbolSize, .relocationsSize, .relocationSize, .initializersSize,
      .finalizersSize, .preinitializersSize, .relativeRelocationsSize, .relativeRelocationSize:
      return "\(entry.value) bytes"
    case .relativeAddendRelocationCount, .relativeRelocationCount, .definedVersionCount,
      .neededVersionCount:
      return "\(entry.value)"
    default: return nil
    }
  }

  private func flags(of entry: DynamicTable.Entry) -> [String]? {
    let text: String
    switch entry.tag {
    case .flags: text = DynamicFlags(rawValue: entry.value).description
    case .flags1: text = DynamicFlags1(rawValue: entry.value).description
    default: return nil
    }
    return text.split(separator: " ").map(String.init)
  }
}

extension DynamicReport {
  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "soname", text: table?.soname)
    output.append(key: "needed", texts: table?.needed ?? [])
    output.append(key: "rpath", text: table?[.rpath]?.string)
    output.append(key: "runpath", text: table?[.runPath]?.string)
    output.append(text: ",\"dynamic\":[")
    var isFirst = true
    for entry in table?.entries ?? [] {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"tag\":\"\(entry.tag.term(on: subject.machine))\"")
      output.append(key: "tagValue", number: entry.tag.rawValue)
      output.append(key: "value", hex: entry.value)
      output.append(key: "string", text: entry.string)
      output.append(key: "flags", texts: flags(of: entry))
      output.append(text: "}")
    }
    output.append(text: "],\"versionDefinitions\":[")
    isFirst = true
    for definition in versions.definitions {
      output.begin(isFirst: &isFirst, separator)
      writeStart(definition.index, definition.name, definition.flags, definition.hash, in: &output)
      output.append(key: "parents", texts: definition.parents)
      output.append(text: "}")
    }
    output.append(text: "],\"versionNeeds\":[")
    isFirst = true
    for need in versions.needs {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"file\":\"")
      output.append(json: need.file)
      output.append(text: "\",\"versions\":[")
      for (place, version) in need.versions.enumerated() {
        if place > 0 { output.append(text: ",") }
        writeStart(version.index, version.name, version.flags, version.hash, in: &output)
        output.append(text: "}")
      }
      output.append(text: "]}")
    }
    output.append(text: "]")
  }

  private func writeStart(
    _ index: Int, _ name: String, _ flags: UInt16, _ hash: UInt32, in output: inout OutputBuffer
  ) {
    output.append(text: "{\"index\":\(index)")
    output.append(key: "name", text: name)
    output.append(key: "isBase", flags & FileVersions.base != 0)
    output.append(key: "isWeak", flags & FileVersions.weak != 0)
    output.append(key: "flagsValue", number: flags)
    output.append(key: "hash", number: hash)
  }
}

#endif
