#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `images` for an image of a process.
struct ImageReport: TableBody {
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

  static let listing = Listing<Self>("loadedImage", of: "the file", fields)

  /// Each row of a table starts with soname and build ID.
  private static let table = Listing<Self>(
    "loadedImage", of: "the file",
    fields.filter { !["soname", "buildID"].contains($0.declaration.key.map { "\($0)" }) })

  private static let fields: [Field<Self>] = [
    .pid(when: .always) { $0.pid },
    Field(
      "loadBias", Column("BIAS", place: 1), .hex,
      "its run-time address minus its link-time address"
    ) { .hex($0.image.image.loadBias) },
    Field("start", "START", .hex, "the run-time address of its first page") {
      .hex($0.image.image.start)
    },
    Field("end", "END", .hex, "the run-time address behind its last segment") {
      .hex($0.image.image.end)
    },
    Field(
      "order",
      Column(
        "ORDER", isRight: false, place: 2, width: 13,
        """
        its place in the loader's order, in which it looks for symbols; the program is 0. Behind \
        it, `preloaded`, `auditor` for a library of `LD_AUDIT`, or the number of another namespace
        """),
      .count.orNull,
      """
      its place in the loader's order, in which it looks for symbols; the program is 0. `null` if \
      the loader does not know of it
      """,
      text: { report in report.image.order.map { "\($0)\(report.kind)" } ?? "" }
    ) { .number($0.image.order) },
    Field(
      "namespace", .count.orNull,
      """
      the namespace that it was loaded into, as by `dlmopen`; 0 is the program's. `null` if the \
      loader does not know of it
      """
    ) { .number($0.image.namespace) },
    Field(
      "isPreloaded", .bool,
      "true if it was loaded in front of the libraries that the program needs, as by `LD_PRELOAD`"
    ) { .bool($0.image.isPreloaded) },
    Field(
      "isAuditor", .bool,
      """
      true for a library of `LD_AUDIT`, which the loader asks how it binds symbols: it is in \
      another namespace and defines `la_version`
      """
    ) { .bool($0.image.isAuditor) },
    Field(
      "file", Column("FILE", place: 2, width: 8),
      .words(["same", "deleted", "replaced", "unknown"]),
      """
      the state of its file: `"same"`, `"deleted"`, `"replaced"` by another file or written over, or \
      `"unknown"`: it cannot be read, or the image is gone
      """
    ) { .text($0.fileState.rawValue) },
    Field(
      "buildID", Column("BUILD-ID", place: 2, width: 40), Shape.hexBytes.orNull,
      "the build ID by its notes in memory, in hexadecimal; `null` without"
    ) { .text($0.image.buildID) },
    Field("soname", .text.orNull, "the name that others ask for it by; `null` for none") {
      .text($0.image.soname)
    },
    Field(column: Column("PATH", place: 3), "the path of its file") {
      $0.subject.path.text
    },
  ]

  static var rowListing: Listing<Self> { table }

  var rows: [Self] { [self] }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = Self.listing.table()
    table.append(Self.listing.cells(self), path: subject.path)
    table.writeLines(style, addressWidth: 2 + 2 * subject.elfClass.addressSize, in: &output)
  }

  /// Its kind, if the program did not ask for it; else empty.
  private var kind: String {
    if image.isPreloaded { return ",preloaded" }
    if image.isAuditor { return ",auditor" }
    guard let namespace = image.namespace, namespace > 0 else { return "" }
    return ",namespace\(namespace)"
  }
}

#endif
