#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `notes` for a file.
struct NotesReport: TableBody {
  let subject: ReportSubject
  let notes: [FileNote]
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  static let listing = Listing<Self>(
    "noteList", of: "the file",
    [
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field(
        "notes", .list(FileNote.listing.record),
        """
        the notes of the sections of notes; without such sections, the notes \
        of `PT_NOTE`
        """
      ) { .list(FileNote.listing, $0.notes) },
    ])

  static var rowListing: Listing<FileNote> { FileNote.listing }

  var rows: [FileNote] { notes }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    if !notes.isEmpty { FileNote.listing.table(notes).write(style, in: &output) }
  }
}

extension FileNote {
  /// The fields of a note.
  static let listing = Listing<Self>(
    "note", of: "a note",
    [
      Field("offset", "OFFSET", .hex, "its place in the file or image") { .hex(UInt64($0.offset)) },
      Field(
        "section", Column("SECTION", place: -1), .text.orNull,
        "the section that it is in; `null` if a program header led to it"
      ) { .text($0.section) },
      Field(
        "owner", Column("OWNER", place: 1), .text,
        "the name that says what the type means: `\"GNU\"`"
      ) { .text($0.owner) },
      Field(
        "type", Column("TYPE", place: 1), .constant, "the constant without its `NT_`"
      ) { .text(noteTerm($0.type, of: $0.owner)) },
      Field("typeValue", .word, "the type as a number") { .number($0.type) },
      Field("size", "SIZE", .count, "how many bytes its content has") { .number($0.bytes.count) },
      Field(
        "bytes", .pattern("^([0-9a-f]{2})*$"), "the bytes of its content, in hexadecimal"
      ) { .text($0.hexadecimalBytes) },
      Field(
        "content",
        Column(
          "CONTENT", isLine: true, place: 1,
          "the meaning of the note, or its bytes in hexadecimal if that is not known"),
        .variants(NoteContent.variants).orNull,
        "the meaning of the bytes; `null` if that is not known",
        text: { $0.content?.text ?? $0.hexadecimalBytes }
      ) { $0.content?.value ?? .null },
    ])

  fileprivate var hexadecimalBytes: String {
    var text = ""
    for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return text
  }
}

#endif
