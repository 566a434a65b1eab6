/// The title above a column of aligned text.
struct ColumnTitle {
  let text: StaticString
  /// How wide the column is; 0 for the last ones, which nothing is filled up behind.
  var width = 0
  /// True for numbers.
  var isRight = false
}

extension OutputBuffer {
  /// Appends a line of titles, where text is aligned.
  mutating func append(titles: [ColumnTitle], _ style: TextStyle) {
    guard style.isAligned else { return }
    if style.isColored { append(text: "\(TextStyle.heading)") }
    for (index, title) in titles.enumerated() {
      if index > 0 { append(text: " ") }
      if title.isRight { fill(title.width - title.text.utf8CodeUnitCount) }
      append(text: "\(title.text)")
      if !title.isRight, index < titles.count - 1 {
        fill(title.width - title.text.utf8CodeUnitCount)
      }
    }
    if style.isColored { append(text: "\(TextStyle.plain)") }
    append(text: "\n")
  }
}
