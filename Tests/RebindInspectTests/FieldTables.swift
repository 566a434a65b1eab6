#if Commands

import Foundation

@testable import rebind_inspect

/// The tables of Documentation/JSON.md, by the declarations of the fields.
///
/// A table stands between two comments, the first of which names the record. All else is written by
/// hand. A record without a table gets one at the end of its subcommand's part.
struct FieldTables {
  private let subcommands: [any Subcommand.Type]

  init(_ subcommands: [any Subcommand.Type]) { self.subcommands = subcommands }

  /// The page with its tables written anew.
  func updated(_ page: String) -> String {
    var page = page
    var done: Set<String> = []
    let frame = [
      ReportSubject.path.record, ReportSubject.failure.record, ReportSubject.header.record,
      ReportSubject.error.record,
    ]
    for record in frame where done.insert(record.name).inserted {
      put(Self.table(of: record), of: record.name, below: "## A file", in: &page)
    }
    for subcommand in subcommands {
      let heading = "## `\(subcommand.name)`"
      if !page.contains("\n\(heading)\n") { page += "\n\(heading)\n" }
      put(subcommand.record, below: heading, &done, in: &page)
      for words in subcommand.manual.words { put(words, of: subcommand.name, in: &page) }
    }
    return page
  }

  private func put(
    _ record: Record, below heading: String, _ done: inout Set<String>, in page: inout String
  ) {
    if done.insert(record.name).inserted {
      put(Self.table(of: record), of: record.name, below: heading, in: &page)
    }
    for field in record.fields {
      if case .variants(let variants) = field.shape.orSelf {
        if done.insert(variants.name).inserted {
          put(Self.table(of: variants), of: variants.name, below: heading, in: &page)
        }
        for inner in variants.records.flatMap(\.fields).flatMap({ $0.shape.records }) {
          put(inner, below: heading, &done, in: &page)
        }
      } else {
        for inner in field.shape.records { put(inner, below: heading, &done, in: &page) }
      }
    }
  }

  /// Words of the output, where the page has a place for them.
  private func put(_ words: WordList, of subcommand: String, in page: inout String) {
    let start = "<!-- words: \(subcommand) -->\n"
    guard let found = page.range(of: start),
      let closing = page[found.upperBound...].range(of: "<!-- end -->\n")
    else { return }
    let rows = words.words.map { "| `\($0.word)` | \($0.meaning) |\n" }.joined()
    page.replaceSubrange(
      found.upperBound..<closing.lowerBound,
      with: "\n| \(words.title) | |\n|---|---|\n\(rows)\n")
  }

  private func put(
    _ table: String, of name: String, below heading: String, in page: inout String
  ) {
    let start = "<!-- fields: \(name) -->\n"
    let end = "<!-- end -->\n"
    if let found = page.range(of: start),
      let closing = page[found.upperBound...].range(of: end)
    {
      page.replaceSubrange(found.upperBound..<closing.lowerBound, with: "\n\(table)\n")
      return
    }
    guard let found = page.range(of: "\n\(heading)\n") else { return }
    let next = page[found.upperBound...].range(of: "\n## ")?.lowerBound ?? page.endIndex
    page.insert(contentsOf: "\n\(start)\n\(table)\n\(end)", at: next)
  }

  private static func table(of record: Record) -> String {
    var table = "| field of \(record.owner) | |\n|---|---|\n"
    for field in record.fields {
      guard let key = field.key else { continue }
      table += "| `\(key)` | \(field.meaning)\(condition(field)) |\n"
      if case .path = field.shape {
        table += "| `\(key)Bytes` | the bytes of the path in hexadecimal, `\"66ff\"`."
        table += " Only there if the path is not UTF-8 |\n"
      }
    }
    return table
  }

  private static func table(of variants: Variants) -> String {
    var table = "| `kind` of \(variants.owner) | its other fields |\n|---|---|\n"
    for record in variants.records {
      let fields = record.fields.compactMap { field in
        field.key.map { "`\($0)`: \(field.meaning)" }
      }
      table += "| `\"\(record.name)\"` | \(fields.joined(separator: ". ")) |\n"
    }
    return table
  }

  private static func condition(_ field: Declaration) -> String {
    switch field.presence {
    case .always: ""
    case .ofProcess: ". Only there with `--pid`"
    case .with(let option): ". Only there with \(option)"
    }
  }
}

#endif
