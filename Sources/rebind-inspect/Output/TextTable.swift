/// Lines of text in columns, which are aligned on a terminal, under a line of titles.
struct TextTable {
  private let columns: [Column]
  private var rows: [[String]] = []

  struct Column {
    let title: StaticString
    /// True for numbers.
    var isRight = false
    /// True for words, which may have spaces; the last column alone.
    var isLine = false
  }

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a line. An empty cell becomes `-`.
  mutating func append(_ cells: [String]) {
    rows.append(cells.map { $0.isEmpty ? "-" : $0 })
  }

  func write(_ style: TextStyle, in output: inout OutputBuffer) {
    let widths = columns.indices.map { column in
      style.isAligned
        ? rows.reduce(columns[column].title.utf8CodeUnitCount) { max($0, width($1[column])) } : 0
    }
    if style.isAligned {
      if style.isColored { output.append(text: "\(TextStyle.heading)") }
      write(columns.map { "\($0.title)" }, widths, in: &output)
      if style.isColored { output.append(text: "\(TextStyle.plain)") }
      output.append(text: "\n")
    }
    for row in rows {
      write(row, widths, in: &output)
      output.append(text: "\n")
    }
  }

  private func write(_ cells: [String], _ widths: [Int], in output: inout OutputBuffer) {
    for column in cells.indices {
      if column > 0 { output.append(text: " ") }
      let fill = max(0, widths[column] - width(cells[column]))
      if columns[column].isRight { output.fill(fill) }
      if columns[column].isLine {
        output.append(line: cells[column])
      } else {
        output.append(column: cells[column])
      }
      if !columns[column].isRight, column < cells.count - 1 { output.fill(fill) }
    }
  }

  /// How many columns of a terminal a cell takes, if its characters take one each.
  private func width(_ cell: String) -> Int { cell.unicodeScalars.count }
}
