#if Commands

import ELFInspection
import Rebind

/// What `audit` found in an image of a process.
struct AuditReport: ReportBody {
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

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "FINDING"), .init(title: "ADDRESS"), .init(title: "SYMBOL"),
      .init(title: "TARGET"), .init(title: "EXPECTED"),
    ])
    for finding in findings {
      let address = finding.address.map { hexadecimal($0) } ?? ""
      let symbol = finding.symbol ?? ""
      table.append([
        finding.kind.rawValue, finding.end.map { "\(address)-\(hexadecimal($0))" } ?? address,
        finding.version.map { "\(symbol)@\($0)" } ?? symbol,
        finding.target?.text ?? "", finding.expected?.text ?? "",
      ])
    }
    table.write(style, in: &output)
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "pid", number: pid)
    output.append(key: "loadBias", hex: loadBias)
    output.append(text: ",\"findings\":[")
    var isFirst = true
    for finding in findings {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"kind\":\"\(finding.kind.rawValue)\"")
      output.append(key: "address", hex: finding.address)
      output.append(key: "end", hex: finding.end)
      output.append(key: "symbol", text: finding.symbol)
      output.append(key: "version", text: finding.version)
      output.append(key: "target", target: finding.target)
      output.append(key: "expected", target: finding.expected)
      output.append(text: "}")
    }
    output.append(text: "]")
  }
}

#endif
