#if Commands

import RebindFiles

/// The symbols of a file that are asked for.
///
/// The JSON is written by hand, as files have many symbols; a test compares its keys with those of
/// the declarations.
struct SymbolListing {
  /// Nil if the file has no dynamic symbols.
  let table: SymbolTable?
  var selection: SymbolFilter
  var demangling = Demangling.none

  /// Writes the members of the file's object.
  ///
  /// - Parameters:
  ///   - behindVersion: Writes members behind a symbol's version.
  @inline(__always)
  func writeJSON(
    separator: StaticString, in output: inout OutputBuffer,
    behindVersion: (SymbolEntry, Int, inout OutputBuffer) -> Void = { _, _, _ in }
  ) {
    output.append(key: "symbolSource", text: table?.source.rawValue)
    output.append(text: ",\"symbols\":[")
    writeObjects(
      ObjectFrame(separator: separator), in: &output, behindVersion: behindVersion)
    output.append(text: "]")
  }

  /// Writes an object for each symbol.
  @inline(__always)
  func writeObjects(
    _ frame: ObjectFrame, in output: inout OutputBuffer,
    behindVersion: (SymbolEntry, Int, inout OutputBuffer) -> Void = { _, _, _ in }
  ) {
    guard let table else { return }
    var isFirst = true
    var demangler = Demangler()
    selection.forEach(in: table) { index, symbol in
      frame.begin(isFirst: &isFirst, in: &output)
      output.reserve(64)
      output.append("\"index\":")
      output.append(decimal: UInt64(index))
      output.append(",\"name\":\"")
      output.append(name: table.name(of: symbol), .json)
      output.reserve(64)
      output.append(0x22)
      if demangling != .none {
        output.append(demangledName: demangler.demangle(table.name(of: symbol)), none: frame.none)
      }
      write(table.versions?.version(of: symbol, at: index), of: table, frame, in: &output)
      behindVersion(symbol, index, &output)
      write(symbol, in: &output)
      frame.end(in: &output)
    }
  }

  @inline(__always)
  private func write(
    _ version: SymbolVersion?, of table: SymbolTable, _ frame: ObjectFrame,
    in output: inout OutputBuffer
  ) {
    output.reserve(64)
    guard let version else {
      output.append(",\"version\":")
      output.append(frame.none)
      output.append(",\"isDefaultVersion\":null")
      return
    }
    output.append(",\"version\":\"")
    output.append(name: table.strings.bytes(from: version.nameOffset), .json)
    output.reserve(64)
    output.append(
      version.isDefault ? "\",\"isDefaultVersion\":true" : "\",\"isDefaultVersion\":false")
  }

  /// Writes what the symbol's entry says.
  @inline(__always)
  private func write(_ symbol: SymbolEntry, in output: inout OutputBuffer) {
    output.reserve(256)
    output.append(",\"value\":\"")
    output.append(hex: symbol.value)
    output.append("\",\"size\":")
    output.append(decimal: symbol.size)
    output.append(",\"type\":\"")
    output.append(symbol.type)
    output.append("\",\"binding\":\"")
    output.append(symbol.binding)
    output.append("\",\"visibility\":\"")
    output.append(symbol.visibility)
    output.append("\",\"sectionIndex\":")
    output.append(decimal: UInt64(symbol.sectionIndex))
    output.append(symbol.isDefined ? ",\"isDefined\":true" : ",\"isDefined\":false")
  }
}

#endif
