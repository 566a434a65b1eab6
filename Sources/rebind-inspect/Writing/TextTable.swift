#if Commands

import RebindFiles

/// Lines of text in columns, which are aligned on a terminal, under a line of titles.
struct TextTable {
  private let columns: [Layout]
  private var rows: [Row] = []

  private struct Row {
    let cells: [String]
    /// Spaces in front of a cell, on a terminal alone.
    let indent: (column: Int, width: Int)
    let color: StaticString?
    /// The last cell, where it is a path, which need not be UTF-8.
    let path: FilePath?
  }

  /// How a column is laid out.
  struct Layout {
    let title: StaticString
    /// True for numbers.
    var isRight = false
    /// True for words, which may have spaces; nothing fills them up.
    var isLine = false
    /// How wide the column is, where lines are written one by one.
    var width = 0
  }

  init(_ columns: [Layout]) {
    self.columns = columns
  }

  /// Adds a line. An empty cell becomes `-`.
  ///
  /// - Parameters:
  ///   - indent: How many spaces stand in front of the cell of a column, on a terminal.
  ///   - color: The line's colour; nil for none of its own.
  ///   - path: Stands in the place of the last cell.
  mutating func append(
    _ cells: [String], indent: (column: Int, width: Int) = (0, 0), color: StaticString? = nil,
    path: FilePath? = nil
  ) {
    let cells = cells.map { $0.isEmpty ? "-" : $0 }
    rows.append(Row(cells: cells, indent: indent, color: color, path: path))
  }

  func write(_ style: TextStyle, in output: inout OutputBuffer) {
    let widths = columns.indices.map { column in
      style.isAligned && !columns[column].isLine
        ? rows.reduce(columns[column].title.utf8CodeUnitCount) { max($0, width($1, column)) } : 0
    }
    let titles = zip(columns, widths).map {
      ColumnTitle(text: $0.title, width: $1, isRight: $0.isRight)
    }
    style.write(titles: titles, in: &output)
    writeRows(widths, style, in: &output)
  }

  /// Writes the lines with the widths that the columns state, and the titles above the output's first
  /// line alone: for files that have a line each.
  ///
  /// - Parameter addressWidth: The width of the columns of numbers that state none.
  func writeLines(_ style: TextStyle, addressWidth: Int, in output: inout OutputBuffer) {
    let widths = columns.map { column in
      !style.isAligned ? 0 : column.isRight && column.width == 0 ? addressWidth : column.width
    }
    let titles = zip(columns, widths).map {
      ColumnTitle(text: $0.title, width: $1, isRight: $0.isRight)
    }
    style.writeOnce(titles: titles, in: &output)
    writeRows(widths, style, in: &output)
  }

  private func writeRows(_ widths: [Int], _ style: TextStyle, in output: inout OutputBuffer) {
    for row in rows {
      style.begin(in: &output)
      let color = style.isColored ? row.color : nil
      if let color { output.append(text: "\(color)") }
      write(row, widths, in: &output)
      if color != nil { output.append(text: "\(TextStyle.plain)") }
      output.append(text: "\n")
    }
  }

  private func write(_ row: Row, _ widths: [Int], in output: inout OutputBuffer) {
    for column in row.cells.indices {
      if column > 0 { output.append(text: " ") }
      let fill = widths[column] == 0 ? 0 : max(0, widths[column] - width(row, column))
      if columns[column].isRight { output.fill(fill) }
      if column == row.indent.column, widths[column] > 0 { output.fill(row.indent.width) }
      if let path = row.path, column == row.cells.count - 1 {
        output.append(path: path, .column)
      } else if columns[column].isLine {
        output.append(line: row.cells[column])
      } else {
        output.append(column: row.cells[column])
      }
      if !columns[column].isRight, column < row.cells.count - 1 { output.fill(fill) }
    }
  }

  /// How many columns of a terminal a cell takes, if its characters take one each.
  private func width(_ row: Row, _ column: Int) -> Int {
    row.cells[column].unicodeScalars.count
      + (column == row.indent.column ? row.indent.width : 0)
  }
}

#endif
