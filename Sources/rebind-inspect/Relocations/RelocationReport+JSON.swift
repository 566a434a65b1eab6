#if Commands

import RebindFiles

extension RelocationReport {
  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(process: process)
    output.append(text: ",\"relocations\":[")
    var isFirst = true
    for table in tables {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"table\":\"")
      output.append(json: table.name)
      output.append(text: "\"")
      output.append(key: "kind", text: table.kind.rawValue)
      output.append(key: "offset", hex: table.offset)
      output.append(key: "size", number: table.size)
      output.append(key: "target", text: table.target)
      output.append(text: ",\"entries\":[")
      write(table, ObjectFrame(separator: separator), in: &output)
      output.append(text: "]}")
    }
    output.append(text: "]")
  }

  /// Writes an object for each relocation.
  func write(_ table: RelocationTable, _ frame: ObjectFrame, in output: inout OutputBuffer) {
    if table.kind == .relative { return writeRelative(table, frame, in: &output) }
    var isFirst = true
    var demangler = Demangler()
    for index in 0..<table.count {
      let entry = table[index]
      frame.begin(isFirst: &isFirst, in: &output)
      writeStart(entry.address, entry.type, frame, in: &output)
      output.append(",\"addend\":")
      output.append(decimalIfAny: entry.addend)
      guard entry.symbol != 0 else {
        output.append(",\"symbolIndex\":0")
        writeNoSymbol(frame, in: &output)
        frame.end(in: &output)
        continue
      }
      output.append(",\"symbolIndex\":")
      output.append(decimal: UInt64(entry.symbol))
      output.append(",\"symbol\":\"")
      writeName(of: entry.symbol, in: table, .json, in: &output)
      output.reserve(64)
      output.append(0x22)
      if demangling != .none, let symbols = table.symbols {
        let name = symbols.name(of: symbols[entry.symbol])
        output.append(demangledName: demangler.demangle(name), none: frame.none)
        output.reserve(64)
      }
      writeVersion(of: entry.symbol, in: table, frame, in: &output)
      frame.end(in: &output)
    }
  }

  @inline(__always)
  private func writeNoSymbol(_ frame: ObjectFrame, in output: inout OutputBuffer) {
    output.append(",\"symbol\":")
    output.append(frame.none)
    if demangling != .none { output.append(demangledName: nil, none: frame.none) }
    output.append(",\"version\":")
    output.append(frame.none)
  }

  private func writeVersion(
    of index: Int, in table: RelocationTable, _ frame: ObjectFrame, in output: inout OutputBuffer
  ) {
    guard let symbols = table.symbols,
      let version = symbols.versions?.version(of: symbols[index], at: index)
    else {
      output.append(",\"version\":")
      return output.append(frame.none)
    }
    output.append(",\"version\":\"")
    output.append(name: symbols.strings.bytes(from: version.nameOffset), .json)
    output.reserve(2)
    output.append(0x22)
  }

  private func writeRelative(
    _ table: RelocationTable, _ frame: ObjectFrame, in output: inout OutputBuffer
  ) {
    let type = RelocationRules.relativeType(of: subject.machine)
    var isFirst = true
    for address in table.relativeAddresses {
      frame.begin(isFirst: &isFirst, in: &output)
      writeStart(address, type, frame, in: &output)
      output.append(",\"addend\":null,\"symbolIndex\":0")
      writeNoSymbol(frame, in: &output)
      frame.end(in: &output)
    }
  }

  @inline(__always)
  private func writeStart(
    _ address: UInt64, _ type: UInt32?, _ frame: ObjectFrame, in output: inout OutputBuffer
  ) {
    output.reserve(384)
    output.append("\"address\":\"")
    output.append(hex: address)
    if let type {
      output.append("\",\"type\":\"")
      writeName(ofType: type, in: &output)
      output.append("\",\"typeValue\":")
      output.append(decimal: UInt64(type))
    } else {
      output.append("\",\"type\":")
      output.append(frame.none)
      output.append(",\"typeValue\":null")
    }
    output.reserve(128)
  }
}

#endif
