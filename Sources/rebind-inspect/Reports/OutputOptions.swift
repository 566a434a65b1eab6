#if Commands

import ArgumentParser

/// The arguments that every subcommand takes: how to print what was read.
struct OutputOptions: ParsableArguments {
  @Option(help: "The format of the output.")
  var format: OutputFormat = .text

  @Option(
    help: """
      When text is coloured. With auto it is on a terminal, unless NO_COLOR is set or TERM is \
      dumb.
      """)
  var color: ColorChoice = .auto
}

/// The values of `--format`.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text, json, jsonl
}

extension ColorChoice: ExpressibleByArgument {}

extension OutputOptions {
  /// The formatter that the options ask for; `hasHeadings` is for text, with several inputs.
  func formatter(hasHeadings: Bool) -> any ReportFormatter {
    formatter(headings: hasHeadings ? .ofAll : .ofMembers)
  }

  /// The formatter that the options ask for; `headings` is for text.
  func formatter(headings: TextHeadings) -> any ReportFormatter {
    switch format {
    case .text: TextFormatter(headings: headings, style: TextStyle(color))
    case .json: JSONFormatter(isLines: false)
    case .jsonl: JSONFormatter(isLines: true)
    }
  }
}

#endif
