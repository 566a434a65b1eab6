#if Commands

import Rebind
import RebindFiles

/// The output of `section` for a file: the section, and the form that it is shown in.
struct SectionReport: DeclaredBody {
  let subject: ReportSubject
  let contents: SectionContents
  let view: SectionView

  /// Throws if the bytes do not have the form that is asked for, which is no fault of the file's.
  init(
    of file: ELFFile, _ contents: SectionContents, as view: SectionView
  ) throws(ELFFileError) {
    subject = ReportSubject(file)
    self.contents = contents
    self.view = view
    let field = "section \(contents.section.name)"
    let bytes = contents.bytes
    func unsupported(_ why: String) -> ELFFileError {
      file.reader.error(.unsupported(why), field: field, at: contents.offset)
    }
    switch view {
    case .strings:
      if let last = bytes.last, last != 0 {
        throw unsupported("ends without the zero byte of its last string")
      }
    case .pointers:
      let word = file.elfClass.addressSize
      guard bytes.count % word == 0 else {
        throw unsupported("has \(bytes.count) bytes, no multiple of an address's \(word)")
      }
    case .hex, .raw: break
    }
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    switch view {
    case .strings:
      forEachString { offset, bytes in
        style.begin(in: &output)
        output.append(text: "\(hexadecimal(offset)) ")
        output.append(name: bytes, .line)
        output.append(text: "\n")
      }
    case .pointers:
      forEachPointer { pointer in
        style.begin(in: &output)
        output.append(text: hexadecimal(pointer.address))
        output.append(text: pointer.value.map { " " + hexadecimal($0) } ?? " ?")
        if let text = pointer.string ?? pointer.symbol.map({ Array($0.utf8) }) {
          output.append(text: " ")
          text.withUnsafeBytes { output.append(name: $0, .line) }
        }
        output.append(text: "\n")
      }
    case .hex, .raw:
      HexDump.write(contents.bytes, address: contents.section.address, style, in: &output)
    }
  }
}

extension SectionReport {
  static let listing = Listing<Self>(
    "sectionContents", of: "the file",
    [
      Field(
        "section", .object(header.record), "the section's header, or what a note says in its place"
      ) { .object(header, $0) },
      Field("base64", .base64, "all its bytes, decompressed, as RFC 4648 encodes them") {
        .base64($0.contents.bytes)
      },
      Field(
        "strings", .list(string.record), "its strings by rising offset",
        when: .with("`--as strings`")
      ) { report in
        guard report.view == .strings else { return nil }
        return .list(string) { body in
          report.forEachString { body((offset: $0, bytes: $1)) }
        }
      },
      Field(
        "pointers", .list(Pointer.listing.record), "its words by rising address",
        when: .with("`--as pointers`")
      ) { report in
        guard report.view == .pointers else { return nil }
        return .list(Pointer.listing) { report.forEachPointer($0) }
      },
    ])

  static var row: Record { Pointer.listing.record }

  static func row(of view: SectionView) -> Record {
    switch view {
    case .strings: string.record
    case .pointers: Pointer.listing.record
    case .hex, .raw: HexLine.listing.record
    }
  }

  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    switch view {
    case .strings:
      forEachString { writer.write(Self.string, (offset: $0, bytes: $1), in: &output) }
    case .pointers: forEachPointer { writer.write(Pointer.listing, $0, in: &output) }
    case .hex, .raw:
      for line in HexDump.lines(contents.bytes, address: contents.section.address) {
        writer.write(HexLine.listing, line, in: &output)
      }
    }
  }

  private var section: Rebind.Section { contents.section }

  private static let header = Listing<Self>(
    "section", of: "the section",
    [
      Field("name", .text, "the name that was asked for") { .text($0.section.name) },
      Field(
        "source", .words(["section-header", "note"]), "`\"section-header\"` or `\"note\"`"
      ) { .text($0.section.provenance.code) },
      Field("type", .constant, "`sh_type`: the constant without its `SHT_`") {
        .text($0.section.type.term(on: $0.subject.machine))
      },
      Field("typeValue", .word, "`sh_type` as a number") { .number($0.section.type.rawValue) },
      Field("flags", .pattern("^[A-Z]*$"), "`sh_flags`, in readelf's letters") {
        .text($0.section.flags.description)
      },
      Field("flagsValue", .hex, "`sh_flags` in hexadecimal") { .hex($0.section.flags.rawValue) },
      Field("address", .hex, "`sh_addr`") { .hex($0.section.address) },
      Field("offset", .hex, "`sh_offset`") { .hex($0.contents.offset) },
      Field("size", .count, "`sh_size`") { .number($0.section.size) },
      Field("alignment", .count, "`sh_addralign`") { .number($0.section.alignment) },
      Field("entrySize", .count, "`sh_entsize`") { .number($0.section.entrySize) },
      Field("contentSize", .count, "how many bytes it has decompressed") {
        .number($0.contents.bytes.count)
      },
    ])

  private static let string = Listing<(offset: Int, bytes: UnsafeRawBufferPointer)>(
    "string", of: "a string",
    [
      Field("offset", .hex, "its place, from the section's start") { .hex(UInt64($0.offset)) },
      Field("string", .name, "the string") { .bytes($0.bytes) },
    ])
}

extension SectionReport.Pointer {
  fileprivate static let listing = Listing<Self>(
    "pointer", of: "a pointer",
    [
      Field("address", .hex, "the link-time address of the word") { .hex($0.address) },
      Field(
        "value", .hex.orNull,
        "the link-time address that it leads to; `null` if only a linker or the loader can say"
      ) { .hex($0.value) },
      Field("string", .text.orNull, "the string there, if it is text; else `null`") {
        .text($0.string.map { String(decoding: $0, as: UTF8.self) })
      },
      Field(
        "symbol", .text.orNull, "the symbol of another image that it leads to; else `null`"
      ) { .text($0.symbol) },
    ])
}

#endif
