#if Commands

import ArgumentParser

/// The arguments that every subcommand takes: how to print what was read.
struct OutputOptions: ParsableArguments {
  @Option(
    help: """
      The format of the output: text, JSON as a document or a line a file, or a table as a flat object \
      of JSON a row or as CSV.
      """)
  var format: OutputFormat = .text

  @Option(
    help: """
      When text is coloured. With auto it is on a terminal, unless NO_COLOR is set or TERM is \
      dumb.
      """)
  var color: ColorChoice = .auto

  @Flag(
    name: [.customShort("A"), .long],
    help: "Put the path of the file in front of each line of text.")
  var withPath = false

  @Flag(help: "Put titles above the columns even if the text does not go to a terminal.")
  var header = false

  func validate() throws {
    for (option, isGiven) in [("--with-path", withPath), ("--header", header)]
    where isGiven && format != .text {
      throw ValidationError("\(option) is for --format text.")
    }
  }

  /// True if the output is text as it is without options.
  var isPlain: Bool { format == .text && !withPath && !header }
}

/// The values of `--format`.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text, json, jsonl, rows, csv
}

extension ColorChoice: ExpressibleByArgument {}

extension OutputOptions {
  /// The formatter that the options ask for; `hasHeadings` is for text, with several inputs.
  func formatter(_ rows: RowShape, hasHeadings: Bool) -> any ReportFormatter {
    formatter(rows, headings: hasHeadings ? .ofAll : .ofMembers)
  }

  /// The formatter that the options ask for; `headings` is for text, `rows` for tables.
  func formatter(_ rows: RowShape, headings: TextHeadings) -> any ReportFormatter {
    switch format {
    case .text:
      TextFormatter(
        headings: headings, style: TextStyle(color, hasTitles: header), hasPaths: withPath)
    case .json: JSONFormatter(isLines: false)
    case .jsonl: JSONFormatter(isLines: true)
    case .rows: RowFormatter(isCSV: false, rows)
    case .csv: RowFormatter(isCSV: true, rows)
    }
  }
}

#endif
