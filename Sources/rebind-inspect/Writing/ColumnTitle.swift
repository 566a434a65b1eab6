#if Commands

/// The title above a column of aligned text.
struct ColumnTitle {
  let text: StaticString
  /// How wide the column is; 0 for the last ones, which nothing is filled up behind.
  var width = 0
  /// True for numbers.
  var isRight = false
}

extension TextStyle {
  /// The line of titles above columns; empty where text is not aligned.
  func line(of titles: @autoclosure () -> [ColumnTitle]) -> String {
    guard isAligned else { return "" }
    let titles = titles()
    var line = isColored ? "\(Self.heading)" : ""
    for (index, title) in titles.enumerated() {
      let fill = String(
        repeating: " ", count: max(0, title.width - title.text.utf8CodeUnitCount))
      if index > 0 { line += " " }
      if title.isRight { line += fill }
      line += "\(title.text)"
      if !title.isRight, index < titles.count - 1 { line += fill }
    }
    return line + (isColored ? "\(Self.plain)\n" : "\n")
  }
}

#endif
