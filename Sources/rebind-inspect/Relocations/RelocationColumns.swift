#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The columns of a relocation's line of text in front of the symbol: table, address, type, addend.
struct RelocationColumns {
  private let style: TextStyle
  private let demangling: Demangling
  // All widths are 0, which fills up nothing, where the columns are not aligned.
  private var nameWidth = 0
  private var addressWidth = 0
  private var typeWidth = 0
  private var addendWidth = 0

  init(of report: RelocationReport, _ style: TextStyle) {
    self.style = style
    demangling = report.demangling
    guard style.isAligned else { return }
    nameWidth = report.tables.reduce(5) { max($0, $1.name.unicodeScalars.count) }
    addressWidth = 2 + 2 * report.subject.elfClass.addressSize
    addendWidth = addressWidth + 1
    let prefix = report.names.prefix?.utf8CodeUnitCount ?? 0
    typeWidth = "UNKNOWN+0".utf8.count
    for table in report.tables where table.kind != .relative {
      for index in 0..<table.count {
        let name = report.names.bytes(of: table[index].type)
        typeWidth = max(typeWidth, prefix + (name?.count ?? 0))
      }
    }
    if report.tables.contains(where: { $0.kind == .relative }) {
      typeWidth = max(typeWidth, prefix + "RELATIVE".utf8.count)
    }
  }

  var titles: [ColumnTitle] {
    RelocationReport.entry.columns.titles(
      [nameWidth, addressWidth, typeWidth, addendWidth], [.always] + demangling.presences,
      hasMangled: demangling != .only)
  }

  /// The start of each line of a table.
  func start(of table: RelocationTable) -> [UInt8] {
    let name = Array(table.name.utf8)
    let fill = max(0, nameWidth - table.name.unicodeScalars.count)
    return name + Array(repeating: 0x20, count: fill) + [0]
  }

  @inline(__always)
  func write(_ start: [UInt8], _ address: UInt64, in output: inout OutputBuffer) {
    style.begin(in: &output)
    // The spaces at its end are no part of the name.
    start.withUnsafeBytes { bytes in
      output.append(name: bytes, .line)
    }
    output.reserve(64)
    output.append(0x20)
    output.append(hex: address, width: addressWidth)
    output.append(0x20)
  }

  @inline(__always)
  func writeType(_ type: UInt32?, of report: RelocationReport, in output: inout OutputBuffer) {
    output.reserve(256)
    let start = output.next
    if let type {
      report.writeName(ofType: type, in: &output)
    } else {
      output.append(0x2d)
    }
    output.pad(typeWidth - (output.next - start))
    output.append(0x20)
  }

  @inline(__always)
  func writeAddend(_ addend: Int64?, in output: inout OutputBuffer) {
    output.reserve(64)
    output.append(hexIfAny: addend, width: addendWidth)
  }
}

#endif
