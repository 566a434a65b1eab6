#if Commands

import ArgumentParser

/// A subcommand. A folder has all of it, and `RebindInspect.subcommands` lists it.
protocol Subcommand: ParsableCommand {
  static var manual: Manual { get }

  /// The fields that it brings to a file's object: their declarations are its part of the JSON
  /// Schema and of Documentation/JSON.md.
  static var record: Record { get }

  /// The same, and behind it those that it brings in place of these with an option.
  static var records: [Record] { get }

  /// The columns of its text, from left to right.
  static var columns: [Declaration] { get }
}

extension Subcommand {
  static var name: String { manual.name }

  static var records: [Record] { [record] }

  /// The columns of the first record that has any.
  static var columns: [Declaration] {
    record.reachable.map(\.columns).first { !$0.isEmpty } ?? []
  }
}

extension Record {
  /// The record itself, and those of the objects in it, each in front of its own.
  var reachable: [Record] { [self] + fields.flatMap { $0.shape.records.flatMap(\.reachable) } }
}

extension Shape {
  /// The records of the objects that a value has.
  var records: [Record] {
    switch self {
    case .object(let record), .list(let record, _): [record]
    case .variants(let variants): variants.records
    case .nullable(let shape): shape.records
    default: []
    }
  }
}

#endif
