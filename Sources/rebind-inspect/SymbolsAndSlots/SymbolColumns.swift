#if Commands

import RebindFiles

/// The columns of a symbol's line of text: index, value, size, type, binding, visibility, section,
/// name with version, and after these the demangled name.
struct SymbolColumns {
  private let style: TextStyle
  private let demangling: Demangling
  // All widths are 0, which fills up nothing, where the columns are not aligned.
  private var indexWidth = 0
  private var valueWidth = 0
  private var sizeWidth = 0
  private var typeWidth = 0
  private var bindingWidth = 0
  private var visibilityWidth = 0
  private var sectionWidth = 0
  /// The width of the name with its version. Only columns behind the name need it.
  var nameWidth = 0

  init(
    of table: SymbolTable, _ selection: SymbolFilter, _ style: TextStyle, _ demangling: Demangling
  ) {
    self.style = style
    self.demangling = demangling
    guard style.isAligned else { return }
    var (size, value): (UInt64, UInt64) = (0, 0)
    selection.forEach(in: table) { _, symbol in
      size = max(size, symbol.size)
      value = max(value, symbol.value)
    }
    indexWidth = max("INDEX".utf8.count, String(table.count).utf8.count)
    valueWidth = max("VALUE".utf8.count, 2 + String(value, radix: 16).utf8.count)
    sizeWidth = max("SIZE".utf8.count, String(size).utf8.count)
    setWidthsOfTerms()
  }

  /// Creates columns of fixed widths. They are aligned across several files, if no number is longer
  /// than usual.
  init(ofSeveralFiles style: TextStyle, _ demangling: Demangling) {
    self.style = style
    self.demangling = demangling
    guard style.isAligned else { return }
    (indexWidth, valueWidth, sizeWidth) = (6, 10, 8)
    setWidthsOfTerms()
  }

  private mutating func setWidthsOfTerms() {
    typeWidth = "SECTION".utf8.count
    bindingWidth = "BINDING".utf8.count
    visibilityWidth = "VISIBILITY".utf8.count
    sectionWidth = "SECTION".utf8.count
  }

  /// The widths of all columns, up to the name's.
  var widths: [Int] {
    [
      indexWidth, valueWidth, sizeWidth, typeWidth, bindingWidth, visibilityWidth, sectionWidth,
      nameWidth,
    ]
  }

  /// Writes all columns in front of the name.
  @inline(__always)
  func write(_ symbol: SymbolEntry, _ index: Int, in output: inout OutputBuffer) {
    style.begin(in: &output)
    output.reserve(256)
    output.append(decimal: UInt64(index), width: indexWidth)
    output.append(0x20)
    output.append(hex: symbol.value, width: valueWidth)
    output.append(0x20)
    output.append(decimal: symbol.size, width: sizeWidth)
    output.append(0x20)
    write(symbol.type, width: typeWidth, in: &output)
    write(symbol.binding, width: bindingWidth, in: &output)
    write(symbol.visibility, width: visibilityWidth, in: &output)

    if !symbol.isDefined { color(TextStyle.undefined, in: &output) }
    let start = output.next
    if let name = sectionTerm(symbol.sectionIndex) {
      output.append(name)
    } else {
      output.append(decimal: UInt64(symbol.sectionIndex))
    }
    output.pad(sectionWidth - (output.next - start))
    if !symbol.isDefined { color(TextStyle.plain, in: &output) }
  }

  /// Writes `name`, `name@version` or `name@@version`, with a space in front; `-` for a symbol without a name.
  /// Nothing if readable names stand in its place.
  @inline(__always)
  func writeName(
    of symbol: SymbolEntry, _ index: Int, _ table: SymbolTable, in output: inout OutputBuffer
  ) {
    if demangling == .only { return }
    let name = table.name(of: symbol)
    output.reserve(2)
    output.append(0x20)
    if name[0] == 0 { output.append(0x2d) }
    output.append(name: name, .column)
    output.append(
      version: table.versions?.version(of: symbol, at: index), of: table, isColored: style.isColored
    )
  }

  /// Writes the readable name behind all else, if that is asked for.
  @inline(__always)
  func writeReadable(
    of symbol: SymbolEntry, _ index: Int, _ table: SymbolTable, _ demangler: inout Demangler,
    in output: inout OutputBuffer
  ) {
    output.append(
      readable: symbol, index, of: table, demangling, &demangler, isColored: style.isColored)
  }

  @inline(__always)
  private func write(_ term: some ELFTerm, width: Int, in output: inout OutputBuffer) {
    let start = output.next
    output.append(term)
    output.pad(width - (output.next - start))
    output.append(0x20)
  }

  @inline(__always)
  private func color(_ sequence: StaticString, in output: inout OutputBuffer) {
    if style.isColored { output.append(sequence) }
  }
}

#endif
