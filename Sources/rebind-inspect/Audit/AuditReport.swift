#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `audit` for an image of a process.
struct AuditReport: TableBody {
  let subject: ReportSubject
  private let pid: Int32
  private let loadBias: UInt64
  let rows: [FindingRow]
  private let demangling: Demangling

  init(_ image: LoadedImage, pid: Int32, _ findings: [ProcessFinding], _ demangling: Demangling) {
    subject = ReportSubject(image.image)
    self.pid = pid
    loadBias = image.image.loadBias
    rows = findings.map { FindingRow(finding: $0, demangling: demangling) }
    self.demangling = demangling
  }

  static let listing = Listing<Self>(
    "findingList", of: "the file",
    [
      .pid(when: .always) { $0.pid },
      .loadBias(when: .always) { $0.loadBias },
      Field("findings", .list(FindingRow.listing.record, atLeast: 1), "the findings") {
        .list(FindingRow.listing, $0.rows)
      },
    ])

  static var rowListing: Listing<FindingRow> { FindingRow.listing }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    FindingRow.listing.shown(demangling).table(rows).write(style, in: &output)
  }
}

/// A finding, and how its symbol is shown.
struct FindingRow {
  let finding: ProcessFinding
  let demangling: Demangling

  static let listing = Listing<Self>(
    "finding", of: "a finding",
    ProcessFinding.fields.map { $0.of(\.finding) } + [
      Field(.demangledName, text: { $0.readableName }) { row in
        row.demangling == .none
          ? nil : .text(row.finding.symbol.flatMap { Demangler.demangled($0) })
      }
    ])

  private var readableName: String {
    guard let symbol = finding.symbol else { return "" }
    let readable = Demangler.demangled(symbol)
    guard demangling == .only else { return readable ?? "" }
    return (readable ?? symbol) + (finding.version.map { "@\($0)" } ?? "")
  }
}

extension ProcessFinding {
  fileprivate static let fields = [Field<Self>](
    [
      Field("kind", Column("FINDING", "one of the words below"), .code, "one of the words below") {
        .text($0.kind.rawValue)
      },
      Field(
        "address",
        Column(
          "ADDRESS", isRight: false,
          "the link-time address of the slot or symbol, or the range with its end behind `-`"),
        .hex.orNull,
        "the link-time address of a slot, of a symbol in the file, or of a range; else `null`",
        text: { finding in
          let address = Value.hex(finding.address).text
          return finding.end.map { "\(address)-\(hexadecimal($0))" } ?? address
        }
      ) { .hex($0.address) },
      Field("end", .hex.orNull, "the link-time end of a range; else `null`") { .hex($0.end) },
      Field(
        "symbol", Column("SYMBOL", isMangled: true, "the symbol, with its version"), .text.orNull,
        """
        the name of a slot's symbol or of a symbol; the symbol around code or a pointer; the tag of a \
        table; else `null`
        """,
        text: { finding in
          let symbol = finding.symbol ?? ""
          return finding.version.map { "\(symbol)@\($0)" } ?? symbol
        }
      ) { .text($0.symbol) },
      Field("version", .text.orNull, "the symbol's version; `null` without") {
        .text($0.version)
      },
      Field(
        "target", Column("TARGET", "where it leads, as `image:symbol+offset`"), .target,
        "where it leads, as for `slots`; else `null`", text: { $0.target?.text ?? "" }
      ) { .target($0.target) },
      Field(
        "expected", Column("EXPECTED", "the target that the loader would have stored"), .target,
        """
        the target that the loader would have stored if nothing was preloaded; `null` if nothing \
        defines the symbol
        """,
        text: { $0.expected?.text ?? "" }
      ) { .target($0.expected) },
    ])
}

extension ReportWriter {
  /// Writes what `audit` finds in each image of a process.
  mutating func audit(_ pid: Int32, _ demangling: Demangling) {
    do throws(ELFFileError) {
      let look = try ProcessLook<[ProcessFinding]>.audit(pid: pid) {
        FatalSignals.isReading($0.image.path)
      }
      write(look, of: pid) { image, findings in
        findings.isEmpty ? nil : AuditReport(image, pid: pid, findings, demangling)
      }
    } catch {
      write(error)
    }
  }
}

#endif
