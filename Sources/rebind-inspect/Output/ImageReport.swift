#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// What `images` found of an image of a process.
struct ImageReport: ReportBody {
  let subject: ReportSubject
  private let pid: Int32
  private let image: LoadedImage
  private let fileState: ProcessFileState

  init(_ image: LoadedImage, in scope: ProcessScope) {
    subject = ReportSubject(image.image)
    pid = scope.pid
    self.image = image
    fileState = scope.fileState(of: image)
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    let width = style.isAligned ? 2 + 2 * subject.elfClass.addressSize : 0
    let (orderWidth, fileWidth, buildIDWidth) = (13, 8, 40)
    let titles: [ColumnTitle] = [
      .init(text: "START", width: width, isRight: true),
      .init(text: "END", width: width, isRight: true),
      .init(text: "BIAS", width: width, isRight: true),
      .init(text: "ORDER", width: orderWidth), .init(text: "FILE", width: fileWidth),
      .init(text: "BUILD-ID", width: buildIDWidth), .init(text: "PATH"),
    ]
    output.append(first: style.line(of: titles), others: "")
    for address in [image.image.start, image.image.end, image.image.loadBias] {
      output.reserve(64)
      output.append(hex: address, width: width)
      output.append(0x20)
    }
    let order = image.order.map { "\($0)\(kind)" } ?? "-"
    let cells = [
      (order, orderWidth), (fileState.rawValue, fileWidth), (image.buildID ?? "-", buildIDWidth),
    ]
    for (cell, cellWidth) in cells {
      output.append(column: cell)
      if style.isAligned { output.fill(cellWidth - cell.utf8.count) }
      output.append(text: " ")
    }
    output.append(path: subject.path, .line)
    output.append(text: "\n")
  }

  /// What it is but one of the images that the program asked for.
  private var kind: String {
    if image.isPreloaded { return ",preloaded" }
    if image.isAuditor { return ",auditor" }
    guard let namespace = image.namespace, namespace > 0 else { return "" }
    return ",namespace\(namespace)"
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "pid", number: pid)
    output.append(key: "loadBias", hex: image.image.loadBias)
    output.append(key: "start", hex: image.image.start)
    output.append(key: "end", hex: image.image.end)
    output.append(key: "order", ifAny: image.order)
    output.append(key: "namespace", ifAny: image.namespace)
    output.append(key: "isPreloaded", image.isPreloaded)
    output.append(key: "isAuditor", image.isAuditor)
    output.append(key: "file", text: fileState.rawValue)
    output.append(key: "buildID", text: image.buildID)
    output.append(key: "soname", text: image.soname)
  }
}

#endif
