#if Commands

/// The output of a subcommand for one input.
protocol ReportBody: SendableMetatype {
  /// The fields that it brings to the file's object.
  static var record: Record { get }

  /// The input.
  var subject: ReportSubject { get }

  /// The table that the input lacks, so that nothing of it is shown: a text that can stand behind "members
  /// have". Nil for an input that has it.
  var lack: String? { get }

  /// Writes lines of text.
  func writeText(_ style: TextStyle, in output: inout OutputBuffer)

  /// Writes members of the file's object, each with a comma in front, and `separator` in front of
  /// each element of a list.
  func writeJSON(separator: StaticString, in output: inout OutputBuffer)

  /// The fields of a row of a table: those of a file, for which `rows` and `csv` write several.
  static var row: Record { get }

  /// Writes the rows of a table.
  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer)
}

extension ReportBody {
  var lack: String? { nil }
}

/// A body whose JSON comes from the declarations of its fields.
protocol DeclaredBody: ReportBody {
  static var listing: Listing<Self> { get }
}

extension DeclaredBody {
  static var record: Record { listing.record }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    Self.listing.writeMembers(self, isFirst: false, separator: separator, in: &output)
  }
}

/// A body whose rows of a table come from the declarations too.
protocol TableBody: DeclaredBody {
  associatedtype Row

  static var rowListing: Listing<Row> { get }

  var rows: [Row] { get }
}

extension TableBody {
  static var row: Record { rowListing.record }

  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    for row in rows { writer.write(Self.rowListing, row, in: &output) }
  }
}

#endif
