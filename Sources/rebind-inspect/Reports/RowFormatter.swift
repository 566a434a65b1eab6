#if Commands

import RebindFiles

/// Tables for programs: a row a line, with the same columns from the first line to the last.
///
/// `rows` has a flat object of JSON a line. `csv` is by RFC 4180, with a header. A file that failed has
/// its line on standard error alone: a table has no place for it.
///
/// Readers guess the types of columns, and which quotes CSV has, by the first rows: DuckDB by 20,480. So a
/// missing text is `""` in `rows`, not `null`, and the titles of `csv` have quotes.
struct RowFormatter: ReportFormatter {
  private let isCSV: Bool
  private let shape: RowShape

  init(isCSV: Bool, _ shape: RowShape) {
    self.isCSV = isCSV
    self.shape = shape
  }

  func begin(in output: inout OutputBuffer) {
    guard isCSV else { return }
    output.append(text: shape.columns.map { "\"\($0.title)\"" }.joined(separator: ",") + "\r\n")
  }

  func write(_ body: some ReportBody, in output: inout OutputBuffer) {
    let writer = RowWriter(isCSV: isCSV, presences: shape.presences, of: body.subject)
    body.writeRows(writer, in: &output)
  }

  func write(_ error: ELFFileError, in output: inout OutputBuffer) {}

  func end(_ summary: (any ReportSummary)?, in output: inout OutputBuffer) {}
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

  /// The columns, with those that say which file a row is of.
  var columns: [RowColumn] {
    (ReportSubject.row.record.fields + record.fields).filter { presences.contains($0.presence) }
      .flatMap(\.rowColumns)
  }
}

/// A column of a table.
struct RowColumn: Sendable {
  let title: String
  /// False for numbers and truth values.
  let isText: Bool
}

extension Declaration {
  /// The columns of a table that the field is: one, those of an object's fields, or none for a list
  /// of objects, whose elements may be rows themselves. An object of one of several kinds is its text.
  var rowColumns: [RowColumn] { key.map { shape.rowColumns("\($0)") } ?? [] }
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

  /// True for values that are strings in `rows`.
  var isText: Bool {
    switch self {
    case .integer, .boolean: false
    case .named: !isNumber
    case .nullable(let shape): shape.isText
    default: true
    }
  }

  fileprivate func rowColumns(_ key: String) -> [RowColumn] {
    switch self {
    case .list: []
    case .nullable(let shape): shape.rowColumns(key)
    case .object(let record):
      record.fields.compactMap { field in
        field.key.map { inner in
          RowColumn(
            title: key + "\(inner)".prefix(1).uppercased() + "\(inner)".dropFirst(),
            isText: field.shape.isText)
        }
      }
    default: [RowColumn(title: key, isText: isText)]
    }
  }
}

#endif
