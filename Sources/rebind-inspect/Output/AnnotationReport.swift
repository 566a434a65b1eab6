#if Commands

import Rebind
import RebindFiles

/// What `annotations` found in a file, or in an image of a process.
struct AnnotationReport: ReportBody {
  let subject: ReportSubject
  let found: FileAnnotations
  /// How many there should be; nil if it was not said.
  var expected: Int?
  /// The process and the image's load bias; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "GROUP"), .init(title: "KEY"), .init(title: "VALUE"),
      .init(title: "PRIORITY", isRight: true), .init(title: "LINE", isRight: true),
      .init(title: "ACCESSOR", isRight: true), .init(title: "OFFSET", isRight: true),
    ])
    for annotation in found.annotations {
      let accessor =
        switch annotation.accessor {
        case nil: ""
        case .address(let address): hexadecimal(address)
        case .unresolved: "?"
        }
      table.append([
        annotation.group, annotation.key, annotation.value, String(annotation.priority),
        annotation.line.map { String($0) } ?? "", accessor, hexadecimal(annotation.offset),
      ])
    }
    if !found.annotations.isEmpty { table.write(style, in: &output) }
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    if let process {
      output.append(key: "pid", number: process.pid)
      output.append(key: "loadBias", hex: process.loadBias)
    }
    output.append(key: "annotationSource", text: found.provenance?.code)
    if let expected { output.append(key: "expected", number: expected) }
    output.append(text: ",\"annotations\":[")
    var isFirst = true
    for annotation in found.annotations {
      output.begin(isFirst: &isFirst, separator)
      write(annotation, in: &output)
    }
    output.append(text: "],\"faults\":[")
    isFirst = true
    for fault in found.faults {
      output.begin(isFirst: &isFirst, separator)
      write(fault, in: &output)
    }
    output.append(text: "]")
  }

  private func write(_ annotation: FileAnnotation, in output: inout OutputBuffer) {
    output.append(text: "{\"offset\":\"\(hexadecimal(annotation.offset))\"")
    output.append(key: "group", text: annotation.group)
    output.append(key: "key", text: annotation.key)
    output.append(key: "value", text: annotation.value)
    output.append(key: "priority", number: annotation.priority)
    output.append(key: "line", ifAny: annotation.line)
    output.append(key: "hasAccessor", annotation.accessor != nil)
    var address: UInt64?
    if case .address(let known)? = annotation.accessor { address = known }
    output.append(key: "accessor", hex: address)
    output.append(text: "}")
  }

  private func write(_ fault: FileAnnotationFault, in output: inout OutputBuffer) {
    output.append(text: "{\"offset\":\"\(hexadecimal(fault.offset))\"")
    output.append(key: "size", number: fault.size)
    output.append(key: "code", text: fault.reason.code)
    output.append(key: "message", text: fault.reason.description)
    output.append(text: "}")
  }
}

extension AnnotationFault.Reason {
  /// The word that the JSON has for it.
  fileprivate var code: String {
    switch self {
    case .noMagic: "no-magic"
    case .version: "version"
    case .size: "size"
    case .truncated: "truncated"
    case .strings: "strings"
    case .encoding: "encoding"
    case .empty: "empty"
    case .accessor: "accessor"
    default: "unknown"
    }
  }
}

#endif
