#if Commands

import ELFInspection
import RebindFiles

/// The output of `diff --facts`: what a comparison looks at, which `--baseline` reads.
struct FactReport: TableBody {
  let subject: ReportSubject
  let rows: [Fact]

  struct Fact {
    let kind: FileChange.Kind
    let name: String
    let value: String
  }

  init(_ subject: ReportSubject, _ facts: FileFacts) {
    self.subject = subject
    rows = FileChange.Kind.allCases.flatMap { kind in
      (facts.facts[kind] ?? [:]).sorted { $0.key < $1.key }
        .map { Fact(kind: kind, name: $0.key.string, value: $0.value.string) }
    }
  }

  static let listing = Listing<Self>(
    "factList", of: "the file",
    [
      Field(
        "facts", .list(rowListing.record),
        "with `--facts`, in place of the fields above: the facts that a comparison looks at"
      ) { .list(rowListing, $0.rows) }
    ])

  static let rowListing = Listing<Fact>(
    "fact", of: "a fact",
    [
      Field("kind", "KIND", .code, "as for a change") {
        .text($0.kind.rawValue)
      },
      Field("name", "NAME", .text, "as for a change") { .text($0.name) },
      Field(
        "value", Column("VALUE", isLine: true), .text,
        "as `before` and `after`, but a machine and a type are numbers",
        text: { $0.kind.word($0.value, of: $0.name) ?? "" }
      ) { .text($0.value) },
    ])

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    Self.rowListing.table(rows).write(style, in: &output)
  }
}

#endif
