#if Commands

import RebindFiles

/// The title above a column of aligned text.
struct ColumnTitle {
  let text: StaticString
  /// How wide the column is; 0 for the last ones, which nothing is filled up behind.
  var width = 0
  /// True for numbers.
  var isRight = false
}

extension TextStyle {
  /// Writes the line of titles above columns, where titles are shown. Once is enough where each line has its
  /// path and the columns have no widths.
  func write(titles: @autoclosure () -> [ColumnTitle], in output: inout OutputBuffer) {
    guard hasTitles else { return }
    if path != nil, !isAligned { return writeOnce(titles: titles(), in: &output) }
    output.append(text: line(of: titles()))
  }

  /// Writes it above the first of all lines.
  func writeOnce(titles: @autoclosure () -> [ColumnTitle], in output: inout OutputBuffer) {
    guard hasTitles else { return }
    output.append(first: line(of: titles()), others: "")
  }

  private func line(of titles: [ColumnTitle]) -> String {
    var titles = titles
    if let path {
      let width = isAligned ? path.text.unicodeScalars.count : 0
      titles.insert(ColumnTitle(text: "FILE", width: width), at: 0)
    }
    let space = isWrapped ? Character(Unicode.Scalar(LineWrapper.joinedSpace)) : " "
    var line = isColored ? "\(Self.heading)" : ""
    for (index, title) in titles.enumerated() {
      let fill = String(
        repeating: space, count: max(0, title.width - title.text.utf8CodeUnitCount))
      if index > 0 { line += " " }
      if title.isRight { line += fill }
      line += "\(title.text)"
      if !title.isRight, index < titles.count - 1 { line += fill }
    }
    return line + (isColored ? "\(Self.plain)\n" : "\n")
  }
}

#endif
