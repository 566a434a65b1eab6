#if Commands

import Rebind
import RebindFiles

extension ReportSubject {
  /// The fields that each file object starts with.
  static let path = Listing<FilePath>(
    "path", of: "the file",
    [
      Field(
        "path", .path,
        """
        the path: as on the command line, below a directory of the command line, or with `--pid` \
        the image's. A member of an archive has its name in brackets: `"libfoo.a(bar.o)"`
        """
      ) { .path($0) }
    ])

  /// The fields that follow the path, unless the file could not be read.
  static let header = Listing<ReportSubject>(
    "header", of: "the file",
    [
      Field("class", .bits, "32 or 64") { .number($0.elfClass.addressSize * 8) },
      Field("byteOrder", .words(["little", "big"]), "`\"little\"` or `\"big\"`") {
        .text($0.byteOrder == .little ? "little" : "big")
      },
      Field("machine", .name, "`e_machine`: the toolchains' name of the architecture") {
        .text($0.machine.word)
      },
      Field("machineValue", .half, "the same as a number") { .number($0.machine.rawValue) },
      Field("type", .term, "`e_type`: `NONE`, `REL`, `EXEC`, `DYN`, `CORE`") {
        .text($0.type.word)
      },
      Field("typeValue", .half, "the same as a number") { .number($0.type.rawValue) },
    ])

  /// The fields that each row of a table starts with.
  static let row = Listing<ReportSubject>(
    "rowStart", of: "each row",
    [
      Field("path", .path, "the path of the file or image, as in JSON") { .path($0.path) },
      Field("soname", .text.orNull, "the name that others ask for it by, from `DT_SONAME`") {
        .text($0.soname)
      },
      Field("buildID", Shape.hexBytes.orNull, "its build ID, in hexadecimal") {
        .text($0.buildID)
      },
      Field("machine", .name, "the toolchains' name of the architecture") {
        .text($0.machine.word)
      },
    ])

  /// The field that a failed file has in place of these.
  static let failure = Listing<ELFFileError>(
    "failure", of: "the file",
    [
      Field(
        "error", .object(error.record),
        "why the file could not be read; the fields below are then missing"
      ) { .object(error, $0) }
    ])

  static let error = Listing<ELFFileError>(
    "error", of: "an error",
    [
      Field("code", .code, "one of the words below") { .text($0.code.word) },
      Field("message", .text, "the reason as people read it; its words may change") {
        .text($0.message)
      },
      Field(
        "field", .text.orNull, "the field, tag or table at fault, `\"DT_STRSZ\"`, as people read it"
      ) { .text($0.field) },
      Field("offset", .hex.orNull, "the place of the fault in the file") {
        .hex($0.offset.map { UInt64($0) })
      },
    ])
}

extension Shape {
  fileprivate static var bits: Shape { .named("bits") }
}

#endif
