#if Commands

import Foundation

@testable import rebind_inspect

/// The generated parts of the command's pages of documentation.
struct ArticleText {
  /// The line that ends the generated part of a subcommand's page.
  static let mark = "<!-- make golden writes the text above; write yours below. -->\n"

  private let subcommand: any Subcommand.Type
  private let help: SubcommandHelp

  init(_ subcommand: any Subcommand.Type, _ help: SubcommandHelp) {
    self.subcommand = subcommand
    self.help = help
  }

  /// The page with the generated part in front of the mark, and below it what it had.
  func updated(_ page: String) -> String {
    let rest = page.range(of: Self.mark).map { String(page[$0.upperBound...]) } ?? ""
    return generated + Self.mark + rest
  }

  private var generated: String {
    let manual = subcommand.manual
    var text = "# \(manual.name)\n\n\(manual.abstract)\n\n## Overview\n\n```console\n"
    text += manual.examples.map { "$ rebind-inspect \($0)\n" }.joined()
    text += "```\n\n\(Self.wrapped(manual.overview))\n"
    let columns = subcommand.columns.compactMap { field in
      field.column.map { (word: "\($0.title)", meaning: field.columnMeaning) }
    }
    if !columns.isEmpty {
      text += "\nThe columns of text, in which `-` stands for none:\n\n"
      text += Self.table(
        "column", columns.map { ($0.word == " " ? " " : "`\($0.word)`", $0.meaning) })
    }
    for list in manual.words {
      text += "\n" + Self.table(list.title, list.words.map { ("`\($0.word)`", $0.meaning) })
    }
    if !options.isEmpty { text += "\n## Options\n\n\(options.joined(separator: "\n"))\n" }
    return text + "\n"
  }

  /// The options but those that all subcommands have.
  private var options: [String] {
    (help.arguments ?? []).compactMap { argument in
      let names = (argument.names ?? []).filter { $0.kind == "long" }.map(\.name)
      guard let name = names.first, argument.shouldDisplay != false,
        let abstract = argument.abstract,
        !["format", "color", "help", "version"].contains(name)
      else { return nil }
      let spelled = names.map { "`--\($0)`" }.joined(separator: ", ")
      return Self.wrapped("- \(spelled): \(Self.marked(abstract))", indent: "  ")
    }
  }

  /// Options and variables as code.
  private static func marked(_ text: String) -> String {
    text.replacing(/--[a-z][a-z-]*(?:=[a-z]+)?|\b[A-Z]+_[A-Z_]+\b/) { "`\($0.output)`" }
  }

  private static func table(_ title: String, _ rows: [(String, String)]) -> String {
    "| \(title) | |\n|---|---|\n" + rows.map { "| \($0) | \($1) |\n" }.joined()
  }

  /// Paragraphs in lines of at most 120 characters.
  private static func wrapped(_ text: String, indent: String = "") -> String {
    text.components(separatedBy: "\n\n").map { paragraph in
      var lines = [""]
      for word in paragraph.split(whereSeparator: \.isWhitespace) {
        let line = lines[lines.count - 1]
        if line.isEmpty {
          lines[lines.count - 1] = String(word)
        } else if line.count + 1 + word.count <= 120 {
          lines[lines.count - 1] += " \(word)"
        } else {
          lines.append(indent + word)
        }
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// The landing page with its table of subcommands, and its topics, which end it.
  static func landing(_ page: String, _ subcommands: [any Subcommand.Type]) -> String {
    let rows = subcommands.map { ("[`\($0.name)`](doc:\($0.name))", $0.manual.abstract) }
    let topics = subcommands.map { "- [\($0.name)](doc:\($0.name))\n" }.joined()
    var page = page
    let marks = ("<!-- subcommands -->\n", "<!-- end -->\n")
    if let start = page.range(of: marks.0), let end = page.range(of: marks.1) {
      page.replaceSubrange(
        start.upperBound..<end.lowerBound, with: "\n\(table("subcommand", rows))\n")
    }
    let heading = "## Topics\n"
    let head = page.range(of: heading).map { String(page[..<$0.lowerBound]) } ?? page
    return "\(head)\(heading)\n### Subcommands\n\n\(topics)\n### In use\n\n- [In CI](doc:InCI)\n"
  }
}

#endif
