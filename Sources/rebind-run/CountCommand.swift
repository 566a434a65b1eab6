#if Commands

import ArgumentParser
import Glibc

/// `rebind-run count`: how often which functions are called, and by which images.
struct CountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count calls by function and calling image.",
    usage: "rebind-run count [<options>] <pattern> ... -- <program> [<argument> ...]",
    discussion: """
      A pattern is [LIBRARY:]NAME[@VERSION], each part with the shell's wildcards. The library is the one that \
      defines the function: its soname, file name or path. Several patterns may stand in one argument, with \
      commas between them.

      Threads, forked children and the programs that they execute are counted, too. A call that a function makes \
      as its last one, by a jump, counts for its own caller's image.

      EXAMPLES:
        rebind-run count '*' --top 10 -- git status
        rebind-run count malloc,calloc,realloc --by image -- gcc --version
        rebind-run count 'libz*:*' --in 'libpng*' -- viewer picture.png
        rebind-run count 'open*,connect' --results -- curl https://example.org
        rebind-run count 'open*,close' --format json --output calls.json -- sh -c 'ls | wc'
      """)

  @Argument(help: "The functions to count.")
  var patterns: [String]

  /// The program, and its arguments.
  private var program: [String] { RebindRun.words.program }

  @Option(
    name: .customLong("in"),
    help: "Only calls by images whose path or file name matches; may be repeated.")
  var images: [String] = []

  @Option(help: "A line for each function, calling image, or both.")
  var by = Grouping.function

  @Flag(
    help:
      "Count the calls that failed, too: they returned -1 or NULL, or an error. A call takes longer then."
  )
  var results = false

  @Option(help: "Only so many lines, those with the most calls.")
  var top: Int?

  @Option(help: "Text, JSON or CSV.")
  var format = Format.text

  @Option(help: "Where the table goes, instead of standard error.", completion: .file())
  var output: String?

  enum Grouping: String, ExpressibleByArgument, CaseIterable { case function, image, both }
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, csv }

  func validate() throws {
    try Words.check(Words.split(patterns), of: "patterns")
    if let top, top < 1 { throw ValidationError("--top takes a number from 1 on.") }
  }

  func run() throws {
    let tasks: SharedFile.Tasks = results ? [.counts, .awaits] : .counts
    let rules = Words.split(patterns).map { Rule(pattern: $0) }
    try ForegroundRun.run(program, tasks, rules, output: output) { result, destination in
      let table = CallTable(result, by: by, in: images, top: top, hasResults: results)
      let notes = result.notes + table.notes
      switch format {
      case .json:
        destination.write(table.json(of: program, notes: notes))
        return output == nil ? [] : notes
      case .csv: destination.write(table.csv())
      case .text: destination.write(table.text())
      }
      return notes
    }
  }
}

#endif
