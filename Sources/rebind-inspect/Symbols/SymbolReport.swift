#if Commands

import RebindFiles

/// The output of `symbols` for a file: the symbols that are asked for, and what options show of them.
struct SymbolReport: ReportBody {
  let subject: ReportSubject
  var symbols: SymbolListing
  let demangles: Bool
  /// Nil if it was not asked where imports come from.
  var origins: SymbolOrigins?
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  static var record: Record { SymbolListing.list }

  var lack: String? {
    symbols.table == nil ? "no dynamic table, and so no symbols to bind by" : nil
  }
}

extension SymbolReport {
  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(process: process)
    guard let table = symbols.table else {
      return symbols.writeJSON(separator: separator, in: &output)
    }
    var demangler = Demangler()
    symbols.writeJSON(separator: separator, in: &output) { symbol, output in
      if demangles { Self.write(demangler.demangle(table.name(of: symbol)), in: &output) }
    } behindVersion: { symbol, index, output in
      origins?.writeJSON(of: symbol, index, table, in: &output)
    }
  }

  static var row: Record { SymbolListing.symbol }

  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    guard let table = symbols.table else { return }
    var demangler = Demangler()
    if !writer.isCSV {
      let frame = writer.frame
      return symbols.writeObjects(frame, in: &output) { symbol, output in
        guard demangles else { return }
        Self.write(demangler.demangle(table.name(of: symbol)), none: frame.none, in: &output)
      } behindVersion: { symbol, index, output in
        origins?.writeFlat(of: symbol, index, table, isCSV: false, in: &output)
      }
    }
    symbols.writeCSV(writer, in: &output) { symbol, output in
      guard demangles else { return }
      output.append(text: ",")
      if let name = demangler.demangle(table.name(of: symbol)) { output.append(csv: name) }
    } behindVersion: { symbol, index, output in
      origins?.writeFlat(of: symbol, index, table, isCSV: true, in: &output)
    }
  }

  private static func write(
    _ demangled: UnsafeRawBufferPointer?, none: StaticString = "null",
    in output: inout OutputBuffer
  ) {
    output.append(",\"demangledName\":")
    if let demangled {
      output.append(0x22)
      output.append(name: demangled, .json)
      output.reserve(1)
      output.append(0x22)
    } else {
      output.append(none)
    }
  }
}

#endif
