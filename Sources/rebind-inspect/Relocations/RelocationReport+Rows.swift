#if Commands

import Rebind
import RebindFiles

extension RelocationReport {
  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    for table in tables {
      if writer.isCSV {
        writeCSV(table, writer, in: &output)
      } else {
        let start = OutputBuffer.bytes { output in
          writer.begin(in: &output)
          output.append(text: ",\"table\":\"")
          output.append(json: table.name)
          output.append(text: "\",")
        }
        write(table, ObjectFrame(lineStart: start), in: &output)
      }
    }
  }

  private func writeCSV(
    _ table: RelocationTable, _ writer: RowWriter, in output: inout OutputBuffer
  ) {
    let start = OutputBuffer.bytes { output in
      writer.begin(in: &output)
      output.append(text: ",")
      output.append(csv: table.name)
      output.append(text: ",")
    }
    if table.kind == .relative {
      let type = RelocationRules.relativeType(of: subject.machine)
      for address in table.relativeAddresses {
        writeStart(start, address, type, in: &output)
        output.append(demangling == .none ? ",,0,,\r\n" : ",,0,,,\r\n")
      }
      return
    }
    var demangler = Demangler()
    for index in 0..<table.count {
      let entry = table[index]
      writeStart(start, entry.address, entry.type, in: &output)
      output.append(0x2c)
      if let addend = entry.addend { output.append(decimalIfAny: addend) }
      output.append(0x2c)
      output.append(decimal: UInt64(entry.symbol))
      output.append(0x2c)
      if entry.symbol != 0, let symbols = table.symbols {
        output.append(csv: symbols.name(of: symbols[entry.symbol]))
      }
      if demangling != .none {
        output.append(text: ",")
        if entry.symbol != 0, let symbols = table.symbols,
          let name = demangler.demangle(symbols.name(of: symbols[entry.symbol]))
        {
          output.append(csv: name)
        }
      }
      output.reserve(1)
      output.append(0x2c)
      if entry.symbol != 0, let symbols = table.symbols,
        let version = symbols.versions?.version(of: symbols[entry.symbol], at: entry.symbol)
      {
        output.append(csv: symbols.strings.bytes(from: version.nameOffset))
      }
      output.reserve(2)
      output.append("\r\n")
    }
  }

  @inline(__always)
  private func writeStart(
    _ start: [UInt8], _ address: UInt64, _ type: UInt32?, in output: inout OutputBuffer
  ) {
    output.append(bytes: start)
    output.reserve(384)
    output.append(hex: address)
    output.append(0x2c)
    if let type {
      writeName(ofType: type, in: &output)
      output.append(0x2c)
      output.append(decimal: UInt64(type))
    } else {
      output.append(0x2c)
    }
    output.reserve(128)
  }
}

#endif
