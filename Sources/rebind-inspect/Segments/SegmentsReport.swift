#if Commands

import ELFInspection
import Rebind

/// The output of `segments` for a file.
struct SegmentsReport: TableBody {
  let subject: ReportSubject
  let segments: [FileSegment]
  let interpreter: String?
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  static let listing = Listing<Self>(
    "segmentList", of: "the file",
    [
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field("interpreter", .text.orNull, "the path of the loader, from `PT_INTERP`") {
        .text($0.interpreter)
      },
      Field("segments", .list(SegmentRow.listing.record), "the program headers in their order") {
        report in
        .list(SegmentRow.listing, report.rows)
      },
    ])

  static var rowListing: Listing<SegmentRow> { SegmentRow.listing }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    if !segments.isEmpty { SegmentRow.listing.table(rows).write(style, in: &output) }
  }

  var rows: [SegmentRow] {
    segments.map { SegmentRow(entry: $0, machine: subject.machine, interpreter: interpreter) }
  }
}

/// A segment, and what its fields need of the file.
struct SegmentRow {
  let entry: FileSegment
  let machine: Machine
  let interpreter: String?

  static let listing = Listing<Self>(
    "segment", of: "a segment",
    [
      Field("index", "INDEX", .count, "its index among the program headers, from 0") {
        .number($0.entry.index)
      },
      Field("type", "TYPE", .constant, "`p_type`: the constant without its `PT_`") {
        .text($0.entry.segment.type.term(on: $0.machine))
      },
      Field("typeValue", .word, "`p_type` as a number") {
        .number($0.entry.segment.type.rawValue)
      },
      Field("offset", "OFFSET", .hex, "`p_offset`") { .hex($0.entry.segment.fileOffset) },
      Field("address", "ADDRESS", .hex, "`p_vaddr`") { .hex($0.entry.segment.address) },
      Field("physicalAddress", "PHYSICAL", .hex, "`p_paddr`") { .hex($0.entry.physicalAddress) },
      Field("fileSize", "FILESIZE", .count, "`p_filesz`") { .number($0.entry.segment.fileSize) },
      Field("memorySize", "MEMSIZE", .count, "`p_memsz`") {
        .number($0.entry.segment.memorySize)
      },
      Field("permissions", "MODE", .pattern("^[r-][w-][x-]$"), "`p_flags`, as `\"r-x\"`") {
        .text($0.entry.segment.permissions.description)
      },
      Field("permissionsValue", .word, "`p_flags` as a number") {
        .number($0.entry.segment.permissions.rawValue)
      },
      Field(
        "alignment", "ALIGN", .count, "`p_align`",
        text: { hexadecimal($0.entry.segment.alignment) }
      ) { .number($0.entry.segment.alignment) },
      Field(
        "sections",
        Column(
          "SECTIONS", isLine: true,
          """
          the names of the sections in it, with commas between them. `INTERP` has the path of the \
          loader behind these
          """),
        .texts,
        "the names of the sections in it, by readelf's rules; empty without section headers",
        text: \.sectionsAndInterpreter
      ) { .texts($0.entry.sections) },
    ])

  private var sectionsAndInterpreter: String {
    let sections = entry.sections.isEmpty ? "-" : entry.sections.joined(separator: ",")
    guard entry.segment.type == .interpreter, let interpreter else { return sections }
    return "\(sections) \(interpreter)"
  }
}

#endif
