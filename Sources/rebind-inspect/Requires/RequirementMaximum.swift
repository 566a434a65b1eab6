#if Commands

import ELFInspection
import RebindFiles

/// The requirements of several files together: for each library and prefix the highest version, and the file
/// that asks for it.
struct RequirementMaximum: ReportSummary, Sendable {
  private(set) var fileCount = 0
  private var demangling = Demangling.none
  /// By what only one row is of.
  private var highest: [String: RequirementRow] = [:]
  /// The kinds of the files that need a C library.
  private var kindsOfFiles: Set<KnownSystem.Kind> = []

  mutating func add(_ report: RequirementReport) {
    fileCount += 1
    demangling = report.demangling
    if let kind = report.kind { kindsOfFiles.insert(kind) }
    for row in report.rows {
      let path = report.subject.path.text
      switch row.kind {
      case .dlopen, .system: continue
      case .libc: add(row, as: row.name, path) { _ in false }
      case .level: add(row, as: "", path) { ($0.version ?? "") < (row.version ?? "") }
      case .version, .mark:
        let number = row.kind == .mark ? nil : row.asked?.number
        add(row, as: "\(row.name) \(number?.prefix ?? row.version ?? "")", path) { other in
          guard let number, let otherNumber = other.asked?.number else { return false }
          return number.isNewer(than: otherNumber)
        }
      }
    }
  }

  /// Takes a row that is higher. If several files need the same version, the row names the file whose path
  /// sorts first, whatever the order in which the files are read.
  private mutating func add(
    _ row: RequirementRow, as key: String, _ path: String, isHigher: (RequirementRow) -> Bool
  ) {
    let image = row.image?.text ?? path
    let key = "\(row.kind.rawValue) \(key)"
    if let other = highest[key], !isHigher(other) {
      guard other.version == row.version, image < other.image?.text ?? "" else { return }
    }
    var row = row
    row.note = "in \(image)" + (row.note.map { ": \($0)" } ?? "")
    highest[key] = row
  }

  private var rows: [RequirementRow] {
    let kinds = RequirementRow.Kind.allCases
    let rows = kinds.flatMap { kind in
      highest.filter { $0.value.kind == kind }.sorted { $0.key < $1.key }.map(\.value)
    }
    let families = kindsOfFiles.isEmpty ? [] : KnownSystem.families(of: kindsOfFiles)
    return rows + RequirementReport.oldest(families, rows.compactMap(\.asked))
  }

  var heading: String { "\(name) of \(fileCount) files" }

  var name: String { "maximum" }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    RequirementRow.listing.shown(demangling).table(rows).write(style, in: &output)
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    Self.listing.writeMembers(self, isFirst: false, separator: separator, in: &output)
  }

  static let listing = Listing<Self>(
    "maximum", of: "the document",
    [
      Field(
        "maximum", .list(RequirementRow.listing.record),
        "of `requires` with several files: the highest version of each kind, and the oldest systems for all"
      ) { .list(RequirementRow.listing, $0.rows) }
    ])
}

#endif
