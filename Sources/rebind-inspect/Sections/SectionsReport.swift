#if Commands

import Rebind
import RebindFiles

/// The output of `sections` for a file.
struct SectionsReport: TableBody {
  let subject: ReportSubject
  let sections: [FileSection]
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  static let listing = Listing<Self>(
    "sectionList", of: "the file",
    [
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field(
        "sectionSource", .words(["section-header", "note"]).orNull,
        """
        `"section-header"`; `"note"` if the file has no section headers, and notes name its \
        sections; `null` if no section is known
        """
      ) { .text($0.sections.first?.section.provenance.code) },
      Field(
        "sections", .list(SectionRow.listing.record),
        "the sections in the order of the file, without the null section"
      ) { .list(SectionRow.listing, $0.rows) },
    ])

  static var rowListing: Listing<SectionRow> { SectionRow.listing }

  var lack: String? { sections.isEmpty ? "no section headers" : nil }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    SectionRow.listing.table(rows).write(style, in: &output)
  }

  var rows: [SectionRow] {
    sections.map { SectionRow(entry: $0, machine: subject.machine) }
  }
}

/// A section header, and the machine that its type is of.
struct SectionRow {
  let entry: FileSection
  let machine: Machine

  private var section: Rebind.Section { entry.section }

  static let listing = Listing<Self>(
    "sectionHeader", of: "a section",
    [
      Field(
        "index", "INDEX", .index.orNull,
        "its index among the section headers; `null` for one that a note names"
      ) { .number($0.entry.index) },
      Field("name", Column("NAME", place: 1), .text, "its name") { .text($0.section.name) },
      Field("type", "TYPE", .constant, "`sh_type`: the constant without its `SHT_`") {
        .text($0.section.type.term(on: $0.machine))
      },
      Field("typeValue", .word, "`sh_type` as a number") { .number($0.section.type.rawValue) },
      Field("address", "ADDRESS", .hex, "`sh_addr`") { .hex($0.section.address) },
      Field(
        "offset", "OFFSET", .hex.orNull,
        "`sh_offset`; `null` for a section that a note names and that has no bytes"
      ) { .hex($0.entry.fileOffset) },
      Field("size", "SIZE", .count, "`sh_size`") { .number($0.section.size) },
      Field("entrySize", "ENTRY", .count, "`sh_entsize`") { .number($0.section.entrySize) },
      Field("flags", "FLAGS", .pattern("^[A-Z]*$"), "`sh_flags`, in readelf's letters") {
        .text($0.section.flags.description)
      },
      Field("flagsValue", .hex, "`sh_flags` in hexadecimal") { .hex($0.section.flags.rawValue) },
      Field("link", "LINK", .word, "`sh_link`") { .number($0.entry.link) },
      Field("info", "INFO", .word, "`sh_info`") { .number($0.entry.info) },
      Field("alignment", "ALIGN", .count, "`sh_addralign`") { .number($0.section.alignment) },
    ])
}

#endif
