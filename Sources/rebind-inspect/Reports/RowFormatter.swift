#if Commands

import RebindFiles

/// Tables for programs: a row a line, with the same columns from the first line to the last.
///
/// `rows` has a flat object of JSON a line. `csv` is by RFC 4180, with a header. A file that failed has
/// its line on standard error alone: a table has no place for it.
struct RowFormatter: ReportFormatter {
  private let isCSV: Bool
  private let shape: RowShape

  init(isCSV: Bool, _ shape: RowShape) {
    self.isCSV = isCSV
    self.shape = shape
  }

  func begin(in output: inout OutputBuffer) {
    if isCSV { output.append(text: shape.columns.joined(separator: ",") + "\r\n") }
  }

  func write(_ body: some ReportBody, in output: inout OutputBuffer) {
    let writer = RowWriter(isCSV: isCSV, presences: shape.presences, of: body.subject)
    body.writeRows(writer, in: &output)
  }

  func write(_ error: ELFFileError, in output: inout OutputBuffer) {}

  func end(in output: inout OutputBuffer) {}
}

/// Which columns the table of a subcommand has.
struct RowShape: Sendable {
  let record: Record
  let presences: [Presence]

  /// - Parameter presences: When columns are there that are there at all.
  init(_ record: Record, _ presences: [Presence] = [.always]) {
    self.record = record
    self.presences = presences
  }

  /// The titles of the columns, with those that say which file a row is of.
  var columns: [String] {
    (ReportSubject.row.record.fields + record.fields).filter { presences.contains($0.presence) }
      .flatMap(\.rowColumns)
  }
}

extension Declaration {
  /// The columns of a table that the field is: one, those of an object's fields, or none for a list
  /// of objects, whose elements may be rows themselves. An object of one of several kinds is its text.
  var rowColumns: [String] { key.map { shape.rowColumns("\($0)") } ?? [] }
}

extension Shape {
  /// True for an object of one of several kinds, or none.
  var isVariants: Bool {
    switch self {
    case .variants: true
    case .nullable(let shape): shape.isVariants
    default: false
    }
  }

  fileprivate func rowColumns(_ key: String) -> [String] {
    switch self {
    case .list: []
    case .nullable(let shape): shape.rowColumns(key)
    case .object(let record):
      record.fields.compactMap { field in
        field.key.map { inner in key + "\(inner)".prefix(1).uppercased() + "\(inner)".dropFirst() }
      }
    default: [key]
    }
  }
}

#endif
