#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `audit` for an image of a process.
struct AuditReport: TableBody {
  let subject: ReportSubject
  private let pid: Int32
  private let loadBias: UInt64
  private let findings: [ProcessFinding]

  init(_ image: LoadedImage, pid: Int32, _ findings: [ProcessFinding]) {
    subject = ReportSubject(image.image)
    self.pid = pid
    loadBias = image.image.loadBias
    self.findings = findings
  }

  static let listing = Listing<Self>(
    "findingList", of: "the file",
    [
      .pid(when: .always) { $0.pid },
      .loadBias(when: .always) { $0.loadBias },
      Field("findings", .list(ProcessFinding.listing.record, atLeast: 1), "the findings") {
        .list(ProcessFinding.listing, $0.findings)
      },
    ])

  static var rowListing: Listing<ProcessFinding> { ProcessFinding.listing }

  var rows: [ProcessFinding] { findings }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    ProcessFinding.listing.table(findings).write(style, in: &output)
  }
}

extension ProcessFinding {
  static let listing = Listing<Self>(
    "finding", of: "a finding",
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
        "symbol", Column("SYMBOL", "the symbol, with its version"), .text.orNull,
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
  mutating func audit(_ pid: Int32) {
    do throws(ELFFileError) {
      let look = try ProcessLook<[ProcessFinding]>.audit(pid: pid) {
        FatalSignals.isReading($0.image.path)
      }
      write(look, of: pid) { image, findings in
        findings.isEmpty ? nil : AuditReport(image, pid: pid, findings)
      }
    } catch {
      write(error)
    }
  }
}

#endif
