#if Commands

import Rebind
import RebindFiles

/// The output of `annotations` for a file, or for an image of a process.
struct AnnotationReport: TableBody {
  let subject: ReportSubject
  let found: FileAnnotations
  /// How many there should be; nil if it was not said.
  var expected: Int?
  /// The process and the image's load bias; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  static let listing = Listing<Self>(
    "annotationList", of: "the file",
    [
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field(
        "annotationSource", .words(["section-header", "note"]).orNull,
        """
        the source of the section's place: `"section-header"`, `"note"`, or `null` if the file has \
        no such section
        """
      ) { .text($0.found.provenance?.code) },
      Field(
        "expected", .count, "the number of `--expect`; not with `--pid`", when: .with("`--expect`")
      ) { $0.expected.map { .number($0) } },
      Field(
        "annotations", .list(FileAnnotation.listing.record),
        "the annotations of the group that was asked for, in the order of the section"
      ) { .list(FileAnnotation.listing, $0.found.annotations) },
      Field(
        "faults", .list(FileAnnotationFault.listing.record),
        "the parts of the section that are no record"
      ) { .list(FileAnnotationFault.listing, $0.found.faults) },
    ])

  static var rowListing: Listing<FileAnnotation> { FileAnnotation.listing }

  var rows: [FileAnnotation] { found.annotations }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    if found.annotations.isEmpty { return }
    FileAnnotation.listing.table(found.annotations).write(style, in: &output)
  }
}

extension FileAnnotation {
  static let listing = Listing<Self>(
    "annotation", of: "an annotation",
    [
      Field(
        "offset", Column("OFFSET", place: 1), .hex, "its place, from the section's start"
      ) { .hex(UInt64($0.offset)) },
      Field("group", "GROUP", .name, "its group") { .text($0.group) },
      Field("key", "KEY", .name, "the key that it is found by") { .text($0.key) },
      Field("value", "VALUE", .text, "its value, which may be empty") { .text($0.value) },
      Field(
        "priority", "PRIORITY", .integer(Int64(Int32.min)...Int64(Int32.max)),
        "its priority: in its group, those with a higher one come first"
      ) { .number($0.priority) },
      Field(
        "line", "LINE", .index.orNull,
        "the line of the source, whose name a record does not have; `null` if it does not say"
      ) { .number($0.line) },
      Field("hasAccessor", .bool, "true if it has a function to call for what it stands for") {
        .bool($0.accessor != nil)
      },
      Field(
        "accessor",
        Column(
          "ACCESSOR",
          """
          the link-time address of the function to call for what it stands for; `?` if it has none \
          yet, as in an object file. Accessors are never called
          """),
        .hex.orNull,
        """
        the function's link-time address; `null` if it has none, or none yet: in an object file, or \
        if another image has it
        """, text: { $0.accessor == .unresolved ? "?" : Value.hex($0.address).text }
      ) { .hex($0.address) },
    ])

  private var address: UInt64? {
    guard case .address(let address)? = accessor else { return nil }
    return address
  }
}

extension FileAnnotationFault {
  fileprivate static let listing = Listing<Self>(
    "fault", of: "a fault",
    [
      Field("offset", .hex, "its place, from the section's start") {
        .hex(UInt64($0.offset))
      },
      Field("size", .index, "how many bytes were passed over") { .number($0.size) },
      Field("code", .code, "one of the words below") { .text($0.reason.code) },
      Field("message", .text, "the reason as people read it; its words may change") {
        .text($0.reason.description)
      },
    ])
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
