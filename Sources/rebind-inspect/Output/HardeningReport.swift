#if Commands

import ELFInspection
import Rebind

/// What `hardening` found in a file, or in an image of a process.
struct HardeningReport: ReportBody {
  let subject: ReportSubject
  let hardening: FileHardening
  /// Where the image is, and how far it is sealed; nil for a file.
  var process: (pid: Int32, loadBias: UInt64, sealing: ProcessSealing)?

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "PROPERTY"), .init(title: "VERDICT"), .init(title: "CONSEQUENCE", isLine: true),
    ])
    for verdict in verdicts {
      table.append([verdict.property, verdict.verdict, verdict.consequence])
    }
    table.write(style, in: &output)
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    if let process {
      output.append(key: "pid", number: process.pid)
      output.append(key: "loadBias", hex: process.loadBias)
    }
    output.append(text: ",\"hardening\":{\"kind\":\"\(hardening.kind.rawValue)\"")
    output.append(key: "relro", text: hardening.headers.relro.rawValue)
    output.append(key: "bindsNow", hardening.headers.bindsNow)
    output.append(key: "hasNonExecutableStack", hardening.headers.hasNonExecutableStack)
    output.append(key: "hasTextRelocations", hardening.headers.hasTextRelocations)
    output.append(key: "hasWritableCode", hardening.headers.hasWritableCode)
    if let hasStackProtector = hardening.hasStackProtector {
      output.append(key: "hasStackProtector", hasStackProtector)
    } else {
      output.append(key: "hasStackProtector", text: nil)
    }
    output.append(
      key: "fortified", texts: hardening.knowsFortified ? hardening.fortified : nil)
    output.append(
      key: "fortifiable", texts: hardening.knowsFortified ? hardening.fortifiable : nil)
    output.append(key: "branchProtections", texts: hardening.branchProtections)
    output.append(key: "rpath", text: hardening.rpath)
    output.append(key: "runpath", text: hardening.runPath)
    output.append(key: "isSymbolic", hardening.isSymbolic)
    output.append(key: "asksForSealing", hardening.asksForSealing)
    if let process { output.append(key: "sealing", text: process.sealing.rawValue) }
    output.append(text: ",\"verdicts\":[")
    var isFirst = true
    for verdict in verdicts {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"property\":\"\(verdict.property)\"")
      output.append(key: "verdict", text: verdict.verdict)
      output.append(key: "consequence", text: verdict.consequence)
      output.append(text: "}")
    }
    output.append(text: "]}")
  }

  private var verdicts: [HardeningVerdict] {
    HardeningVerdict.all(of: hardening, process?.sealing)
  }
}

#endif
