import RebindFiles

/// Text for people, grep and awk: a line a symbol or the like, with the same columns everywhere.
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

  mutating func write(_ body: some ReportBody, in output: inout OutputBuffer) {
    let path = body.subject.path
    if hasHeadings || path.member?.isOneOfSeveral == true { writeHeading(path, in: &output) }
    body.writeText(style, in: &output)
  }

  // Its line on standard error says it all.
  mutating func write(_ error: ELFFileError, in output: inout OutputBuffer) {}

  mutating func end(in output: inout OutputBuffer) {}

  private mutating func writeHeading(_ path: FilePath, in output: inout OutputBuffer) {
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
