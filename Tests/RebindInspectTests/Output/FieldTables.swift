#if Commands

import Foundation

@testable import rebind_inspect

/// Writes the tables of Documentation/JSON.md from the declared fields.
///
/// A table stands between two comments, the first of which names the record, or the subcommand and the
/// title of a list of words. All else is written by hand. A record without a table gets one at the end
/// of its subcommand's part.
struct FieldTables {
  private let subcommands: [any Subcommand.Type]

  init(_ subcommands: [any Subcommand.Type]) { self.subcommands = subcommands }

  private static let frame = [
    ReportSubject.path.record, ReportSubject.failure.record, ReportSubject.header.record,
    ReportSubject.error.record,
  ]

  /// The records of rows of a table that are no objects of JSON.
  private static let rows = [
    ReportSubject.row.record, TreeLine.listing.record, DynamicLine.listing.record,
    HexLine.listing.record,
  ]

  /// The page with its tables written anew.
  func updated(_ page: String) -> String {
    var page = page
    var done: Set<String> = []
    for record in Self.frame where done.insert(record.name).inserted {
      put(Self.table(of: record), of: record.name, below: "## A file", in: &page)
    }
    for record in Self.rows {
      put(Self.table(of: record, isRow: true), of: record.name, below: "## Tables", in: &page)
    }
    for subcommand in subcommands {
      let heading = Self.heading(of: subcommand)
      if !page.contains("\n\(heading)\n") { page += "\n\(heading)\n" }
      for record in subcommand.records { put(record, below: heading, &done, in: &page) }
      for words in subcommand.manual.words { put(words, of: subcommand.name, in: &page) }
    }
    return page
  }

  /// The marks and headings of a page that stand for nothing.
  func faults(in page: String) -> [String] {
    let known = Set(
      records.map { Self.start(ofFields: $0.name) }
        + subcommands.flatMap { command in
          command.manual.words.map { Self.start(of: $0, command.name) }
        } + subcommands.map { Self.heading(of: $0) } + [Self.end])
    return page.split(separator: "\n").map(String.init).filter { line in
      (line.hasPrefix("<!--") || line.hasPrefix("## `")) && !known.contains(line)
    }
  }

  /// The records that have a table: the name, and the table.
  var records: [(name: String, table: String)] {
    let all = Self.frame + Self.rows + subcommands.flatMap { $0.records.flatMap(\.reachable) }
    let variants = all.flatMap(\.fields).compactMap { field -> Variants? in
      guard case .variants(let variants) = field.shape.orSelf else { return nil }
      return variants
    }
    let kinds = Set(variants.flatMap(\.records).map { Self.table(of: $0) })
    return all.map { record in
      (record.name, Self.table(of: record, isRow: Self.rows.contains { $0.name == record.name }))
    }.filter { !kinds.contains($0.1) }
      + variants.map { ($0.name, Self.table(of: $0)) }
  }

  private static func heading(of subcommand: any Subcommand.Type) -> String {
    "## `\(subcommand.name)`"
  }

  private static func start(ofFields name: String) -> String { "<!-- fields: \(name) -->" }

  private static func start(of words: WordList, _ subcommand: String) -> String {
    "<!-- words: \(subcommand) \(words.title.filter { $0 != "`" }) -->"
  }

  private static let end = "<!-- end -->"

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
    guard let place = Self.place(Self.start(of: words, subcommand), in: page) else { return }
    let rows = words.words.map { "| `\($0.word)` | \($0.meaning) |\n" }.joined()
    page.replaceSubrange(place, with: "\n| \(words.title) | |\n|---|---|\n\(rows)\n")
  }

  private func put(
    _ table: String, of name: String, below heading: String, in page: inout String
  ) {
    let start = Self.start(ofFields: name)
    if let place = Self.place(start, in: page) {
      page.replaceSubrange(place, with: "\n\(table)\n")
      return
    }
    guard let found = page.range(of: "\n\(heading)\n") else { return }
    let next = page[found.upperBound...].range(of: "\n## ")?.lowerBound ?? page.endIndex
    page.insert(contentsOf: "\n\(start)\n\n\(table)\n\(Self.end)\n", at: next)
  }

  /// The lines between a mark and the end of its table.
  private static func place(_ start: String, in page: String) -> Range<String.Index>? {
    guard let found = page.range(of: start + "\n"),
      let closing = page[found.upperBound...].range(of: end + "\n")
    else { return nil }
    return found.upperBound..<closing.lowerBound
  }

  /// - Parameter isRow: True for a record of tables alone.
  private static func table(of record: Record, isRow: Bool = false) -> String {
    var table = "| field of \(record.owner) | type | |\n|---|---|---|\n"
    for field in record.fields {
      guard let key = field.key else { continue }
      let condition = field.presence.condition.map { ". Only there \($0)" } ?? ""
      // The page says once that rows have an empty text for none.
      let shape = isRow && field.shape.isText ? field.shape.orSelf : field.shape
      table += "| `\(key)` | \(shape.type) | \(field.meaning)\(condition) |\n"
      if case .path = field.shape, !isRow {
        table += "| `\(key)Bytes` | string | the bytes of the path in hexadecimal, `\"66ff\"`."
        table += " Only there if the path is not UTF-8 |\n"
      }
    }
    return table
  }

  private static func table(of variants: Variants) -> String {
    var table = "| `kind` of \(variants.owner) | its other fields |\n|---|---|\n"
    for record in variants.records {
      let fields = record.fields.compactMap { field in
        field.key.map { "`\($0)` (\(field.shape.type)): \(field.meaning)" }
      }
      table += "| `\"\(record.name)\"` | \(fields.joined(separator: ". ")) |\n"
    }
    return table
  }
}

extension Shape {
  /// The type in words, as the page has it.
  fileprivate var type: String {
    switch self {
    case .string, .pattern, .words, .path: "string"
    case .integer: "number"
    case .hexadecimal: "hex string"
    case .boolean: "boolean"
    case .texts: "list of strings"
    case .base64: "Base64 string"
    case .named(let name): ["bits", "half", "word"].contains(name) ? "number" : "string"
    case .object, .variants: "object"
    case .list: "list of objects"
    case .nullable(let shape): "\(shape.type) or `null`"
    }
  }
}

#endif
