/// Text for people, grep and awk: a line a symbol, with the same columns everywhere.
///
/// Off a terminal one space separates the columns, so that a line is the same bytes whatever the
/// other lines are; on a terminal they are aligned, under a line of titles.
struct TextFormatter: ReportFormatter {
  private let hasHeadings: Bool
  private let style: TextStyle
  private var isFirst = true

  /// `hasHeadings` puts each file's path above what was found in it.
  init(hasHeadings: Bool, style: TextStyle) {
    self.hasHeadings = hasHeadings
    self.style = style
  }

  mutating func begin(in output: inout OutputBuffer) {}

  mutating func write(_ report: SymbolReport, in output: inout OutputBuffer) {
    if hasHeadings { writeHeading(report.file.reader.path, in: &output) }
    guard let table = report.table else { return }
    let columns = SymbolColumns(of: table, style)
    columns.writeTitles(in: &output)
    var demangler = Demangler()
    for index in table.indices {
      let symbol = table[index]
      guard report.selection.contains(symbol) else { continue }
      columns.write(symbol, index, in: &output)
      columns.writeName(of: symbol, index, table, in: &output)
      if report.demangles, let name = demangler.demangle(table.name(of: symbol)) {
        columns.write(demangled: name, in: &output)
      }
      output.reserve(1)
      output.append(0x0a)
    }
  }

  // Its line on standard error says it all.
  mutating func write(_ error: InputError, in output: inout OutputBuffer) {}

  mutating func end(in output: inout OutputBuffer) {}

  private mutating func writeHeading(_ path: InputPath, in output: inout OutputBuffer) {
    output.reserve(TextStyle.longestColor + 1)
    if !isFirst { output.append(0x0a) }
    isFirst = false
    if style.isColored { output.append(TextStyle.heading) }
    output.append(path: path, .line)
    output.reserve(TextStyle.longestColor + 2)
    if style.isColored { output.append(TextStyle.plain) }
    output.append(":\n")
  }
}
