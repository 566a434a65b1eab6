#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `relocations` for a file.
struct RelocationReport: ReportBody {
  let subject: ReportSubject
  let tables: [RelocationTable]
  let names: RelocationNames
  let demangling: Demangling
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  init(of file: ELFFile, _ demangling: Demangling) throws(ELFFileError) {
    self.demangling = demangling
    subject = ReportSubject(file)
    tables = try file.relocationTables
    names = RelocationNames(of: file.machine)
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    let columns = RelocationColumns(of: self, style)
    if tables.contains(where: { $0.count > 0 }) {
      style.write(titles: columns.titles, in: &output)
    }
    var demangler = Demangler()
    for table in tables {
      let start = columns.start(of: table)
      if table.kind == .relative {
        let type = RelocationRules.relativeType(of: subject.machine)
        for address in table.relativeAddresses {
          columns.write(start, address, in: &output)
          columns.writeType(type, of: self, in: &output)
          columns.writeAddend(nil, in: &output)
          writeNone(in: &output)
        }
        continue
      }
      for index in 0..<table.count {
        let entry = table[index]
        columns.write(start, entry.address, in: &output)
        columns.writeType(entry.type, of: self, in: &output)
        columns.writeAddend(entry.addend, in: &output)
        guard entry.symbol != 0, let symbols = table.symbols else {
          writeNone(in: &output)
          continue
        }
        let symbol = symbols[entry.symbol]
        // A section's symbol that has no name in the file is shown even so.
        if demangling != .only || symbols.name(of: symbol)[0] == 0 {
          output.append(text: " ")
          writeName(of: entry.symbol, in: table, .column, in: &output)
          output.append(
            version: symbols.versions?.version(of: symbol, at: entry.symbol), of: symbols,
            isColored: false)
        }
        if demangling == .beside || symbols.name(of: symbol)[0] != 0 {
          output.append(
            readable: symbol, entry.symbol, of: symbols, demangling, &demangler,
            isColored: style.isColored)
        }
        output.append(text: "\n")
      }
    }
  }

  /// Ends the line of a relocation without a symbol.
  private func writeNone(in output: inout OutputBuffer) {
    output.append(text: demangling == .beside ? " - -\n" : " -\n")
  }

  /// Writes the name of a relocation type, which may be three for MIPS.
  @inline(__always)
  func writeName(ofType type: UInt32, in output: inout OutputBuffer) {
    output.reserve(192)
    guard subject.machine.rawValue == 8, type > 0xff else {
      return writeName(ofOneType: type, in: &output)
    }
    writeName(ofOneType: type & 0xff, in: &output)
    for shift: UInt32 in [8, 16] {
      output.append(0x2f)
      writeName(ofOneType: type >> shift & 0xff, in: &output)
    }
  }

  @inline(__always)
  private func writeName(ofOneType type: UInt32, in output: inout OutputBuffer) {
    guard let prefix = names.prefix, let name = names.bytes(of: type) else {
      output.append("UNKNOWN+")
      return output.append(decimal: UInt64(type))
    }
    output.append(prefix)
    output.append(count: name.count) { start in
      for index in 0..<name.count { start[index] = name[index] }
    }
  }

  /// Writes the name of a symbol.
  @inline(__always)
  func writeName(
    of index: Int, in table: RelocationTable, _ escaping: Escaping, in output: inout OutputBuffer
  ) {
    guard let symbols = table.symbols else { return }
    let name = symbols.name(of: symbols[index])
    if name[0] != 0 {
      output.append(name: name, escaping)
    } else if case .column = escaping {
      output.reserve(1)
      output.append(0x2d)
    }
  }
}

#endif
