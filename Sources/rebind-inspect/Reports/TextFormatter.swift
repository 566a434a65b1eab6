#if Commands

import RebindFiles

/// Text for people, grep and awk: a line a symbol or the like, with the same columns everywhere.
///
/// Off a terminal one space separates the columns, so that a line does not depend on the others. On
/// a terminal the columns are aligned, under a line of titles.
struct TextFormatter: ReportFormatter {
  private let headings: TextHeadings
  private let style: TextStyle
  /// True if each line has its path.
  private let hasPaths: Bool

  /// `headings` puts paths above what was found, unless each line has its own.
  init(headings: TextHeadings, style: TextStyle, hasPaths: Bool) {
    self.headings = hasPaths ? .none : headings
    self.style = style
    self.hasPaths = hasPaths
  }

  func begin(in output: inout OutputBuffer) {}

  func write(_ body: some ReportBody, in output: inout OutputBuffer) {
    // Its line on standard error says it all, as of errors.
    if body.lack != nil { return }
    let path = body.subject.path
    if headings == .ofAll || headings == .ofMembers && path.member?.isOneOfSeveral == true {
      writeHeading(path, in: &output)
    }
    var style = style
    if hasPaths { style.path = path }
    body.writeText(style, in: &output)
  }

  func write(_ error: ELFFileError, in output: inout OutputBuffer) {}

  func end(_ summary: (any ReportSummary)?, in output: inout OutputBuffer) {
    guard let summary else { return }
    var style = style
    if hasPaths {
      style.path = FilePath(summary.name)
    } else {
      writeHeading(FilePath(summary.heading), in: &output)
    }
    summary.writeText(style, in: &output)
  }

  private func writeHeading(_ path: FilePath, in output: inout OutputBuffer) {
    output.append(first: "", others: "\n")
    output.reserve(TextStyle.longestColor)
    if style.isColored { output.append(TextStyle.heading) }
    output.append(path: path, .line)
    output.reserve(TextStyle.longestColor + 2)
    if style.isColored { output.append(TextStyle.plain) }
    output.append(":\n")
  }
}

/// Which inputs have their path above what was found in them.
enum TextHeadings {
  case none, ofAll
  /// Headings for members that were not asked for one by one.
  case ofMembers
}

#endif
