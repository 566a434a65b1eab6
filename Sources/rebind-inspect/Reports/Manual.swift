#if Commands

import ArgumentParser

/// The text of a subcommand: its help, its part of the manual, and the generated part of its page of
/// documentation come from it. It is Markdown with code spans and paragraphs alone.
struct Manual: Sendable {
  let name: String
  let abstract: String
  /// The lines behind the command's name; empty for options and files.
  let usage: [String]
  let overview: String
  /// Command lines.
  let examples: [String]
  private let listWords: @Sendable () -> [WordList]

  /// Words that the output has or that an option takes, with their meanings.
  var words: [WordList] { listWords() }

  init(
    name: String, abstract: String, usage: [String] = [], overview: String,
    words: @autoclosure @escaping @Sendable () -> [WordList] = [], examples: [String]
  ) {
    self.name = name
    self.abstract = abstract
    self.usage = usage
    self.overview = overview
    self.examples = examples
    listWords = words
  }
}

/// Words of the output, or values of an option, with their meanings.
struct WordList: Sendable {
  /// A column's title in small letters, or an option.
  let title: String
  let words: [(word: String, meaning: String)]

  init(_ title: String, _ words: [(word: String, meaning: String)]) {
    self.title = title
    self.words = words
  }

  init(_ title: String, _ words: KeyValuePairs<String, String>) {
    self.init(title, words.map { ($0, $1) })
  }
}

extension Subcommand {
  /// The configuration by the manual and the columns of text.
  static var manualConfiguration: CommandConfiguration {
    let lines = manual.usage.isEmpty ? ["[<options>] <file> ..."] : manual.usage
    return CommandConfiguration(
      commandName: manual.name, _superCommandName: "rebind-inspect",
      abstract: manual.abstract,
      usage: lines.map { "rebind-inspect \(manual.name) \($0)" }.joined(separator: "\n"),
      discussion: HelpText.isWanted ? HelpText.discussion(manual, columns) : "")
  }
}

/// The manual as plain text, in lines that the help does not break again.
enum HelpText {
  /// True if an argument may ask for help. Composing it would take longer than starting the program.
  static let isWanted: Bool = {
    let arguments = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return arguments.dropFirst().contains { argument in
      guard let argument, [0x2d, 0x68].contains(argument.pointee) else { return false }
      let text = String(cString: argument)
      return text == "help"
        || ["-h", "--h", "--experimental-"].contains { text.utf8.starts(with: $0.utf8) }
    }
  }()

  static func discussion(_ manual: Manual, _ columns: [Declaration]) -> String {
    var text = plain(manual.overview)
    let titled = columns.compactMap { field in
      field.column.map { (word: "\($0.title)", meaning: field.columnMeaning) }
    }
    if !titled.isEmpty { text += "\n\nCOLUMNS (- stands for none):\n" + list(titled) }
    for words in manual.words {
      let title = plain(words.title)
      // The name of an option stays as it is.
      text += "\n\n\(title.hasPrefix("--") ? title : title.uppercased()):\n" + list(words.words)
    }
    text += "\n\nEXAMPLES:\n"
    return text + manual.examples.map { "  rebind-inspect \($0)" }.joined(separator: "\n")
  }

  /// The text without the marks of code spans.
  static func plain(_ markdown: String) -> String { String(markdown.filter { $0 != "`" }) }

  /// A word and its meaning a line, or several, with the meanings below each other.
  private static func list(_ words: [(word: String, meaning: String)]) -> String {
    let width = min(18, words.reduce(0) { max($0, $1.word.count) })
    return words.map { word, meaning in
      let word = word == " " ? "" : word
      var lines: [String] = []
      var line = "  " + word + String(repeating: " ", count: max(0, width - word.count)) + "  "
      let indent = String(repeating: " ", count: width + 4)
      if word.count > width {
        lines.append("  " + word)
        line = indent
      }
      var isEmpty = true
      for part in plain(meaning).split(separator: " ") {
        if !isEmpty, line.count + 1 + part.count > longestLine {
          lines.append(line)
          (line, isEmpty) = (indent, true)
        }
        line += isEmpty ? part : " \(part)"
        isEmpty = false
      }
      return (lines + [line]).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// The parser's help wraps a line that has 80 columns.
  private static let longestLine = 79
}

#endif
