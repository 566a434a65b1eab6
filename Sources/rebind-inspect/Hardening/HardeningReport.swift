#if Commands

import ELFInspection
import Rebind

/// The output of `hardening` for a file, or for an image of a process.
struct HardeningReport: TableBody {
  let subject: ReportSubject
  let hardening: FileHardening
  let required: [HardeningRequirement]
  /// Where the image is, and how far it is sealed; nil for a file.
  var process: (pid: Int32, loadBias: UInt64, sealing: ProcessSealing)?

  static let listing = Listing<Self>(
    "hardeningReport", of: "the file",
    [
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field("hardening", .object(facts.record), "an object with the fields below") {
        .object(facts, $0)
      },
    ])

  static var rowListing: Listing<Self> { Self.facts }

  var rows: [Self] { [self] }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    HardeningVerdict.listing.table(verdicts).write(style, in: &output)
  }

  fileprivate var verdicts: [HardeningVerdict] {
    HardeningVerdict.all(of: hardening, process?.sealing)
  }

  /// The requirements that the file does not meet, for people; nil if nothing is required.
  var violations: [String]? {
    required.isEmpty ? nil : required.compactMap { $0.violation(in: verdicts) }
  }
}

extension HardeningReport {
  fileprivate static let facts = Listing<Self>(
    "hardening", of: "`hardening`",
    [
      Field(
        "kind",
        .words(["program", "pie", "static", "static-pie", "library", "object", "other"]),
        """
        `"program"`, `"pie"`, `"static"`, `"static-pie"`, `"library"`, `"object"`, or `"other"`
        """
      ) { .text($0.hardening.kind.rawValue) },
      Field(
        "relro", .words(["none", "partial", "full"]),
        "`\"full\"`, `\"partial\"` if jump slots stay writable, or `\"none\"`"
      ) { .text($0.hardening.headers.relro.rawValue) },
      Field(
        "bindsNow", .bool, "all jump slots are bound at load, as musl's loader does for any file"
      ) { .bool($0.hardening.headers.bindsNow) },
      Field(
        "hasNonExecutableStack", .bool,
        """
        the file has a `PT_GNU_STACK` without `PF_X`; an object file has the section \
        `.note.GNU-stack`
        """
      ) { .bool($0.hardening.headers.hasNonExecutableStack) },
      Field("hasTextRelocations", .bool, "relocations change code") {
        .bool($0.hardening.headers.hasTextRelocations)
      },
      Field("hasWritableCode", .bool, "a segment is writable and executable at once") {
        .bool($0.hardening.headers.hasWritableCode)
      },
      Field(
        "hasStackProtector", .bool.orNull,
        """
        functions check their stack; `null` without symbols that would show it, or if those of a \
        static program may be its C library's
        """
      ) { .bool($0.hardening.hasStackProtector) },
      Field(
        "fortified", .texts.orNull,
        """
        the checked functions that it calls, `"__memcpy_chk"`, or without a dynamic table those \
        that are in it; `null` without symbols that would show it
        """
      ) { .texts($0.hardening.knowsFortified ? $0.hardening.fortified : nil) },
      Field(
        "fortifiable", .texts.orNull,
        "the functions that it calls unchecked, `\"memcpy\"`; `null` as for `fortified`"
      ) { .texts($0.hardening.knowsFortified ? $0.hardening.fortifiable : nil) },
      Field(
        "branchProtections", .texts,
        "`\"IBT\"`, `\"SHSTK\"`, `\"BTI\"`, `\"PAC\"`, `\"GCS\"`, from the properties"
      ) { .texts($0.hardening.branchProtections) },
      Field("rpath", .text.orNull, "from `DT_RPATH`; `null` without") {
        .text($0.hardening.rpath)
      },
      Field("runpath", .text.orNull, "from `DT_RUNPATH`; `null` without") {
        .text($0.hardening.runPath)
      },
      Field("isSymbolic", .bool, "it was linked with `-Bsymbolic`") {
        .bool($0.hardening.isSymbolic)
      },
      Field(
        "asksForSealing", .bool,
        "it was linked with `-z memory-seal`: glibc seals its pages from 2.43 on"
      ) { .bool($0.hardening.asksForSealing) },
      Field(
        "sealing", .words(["none", "partial", "full"]),
        """
        `"full"` if mseal(2) has sealed all pages that are not writable, `"partial"`, or `"none"`, \
        also where the kernel does not say
        """, when: .ofProcess
      ) { $0.process.map { .text($0.sealing.rawValue) } },
      Field(
        "violations", .texts,
        "the requirements that the file does not meet, as people read them; the words may change",
        when: .required
      ) { $0.violations.map { .strings($0) } },
      Field("verdicts", .list(HardeningVerdict.listing.record), "the lines of the text") {
        .list(HardeningVerdict.listing, $0.verdicts)
      },
    ])
}

extension Presence {
  static let required = with("`--require`")
}

extension HardeningVerdict {
  fileprivate static let listing = Listing<Self>(
    "verdict", of: "a verdict",
    [
      Field("property", "PROPERTY", .code, "the property: `relro`, `binding`, `pie` and so on") {
        .text($0.property)
      },
      Field("verdict", "VERDICT", .name, "the verdict; its words may change") {
        .text($0.verdict)
      },
      Field(
        "consequence", Column("CONSEQUENCE", isLine: true), .name,
        "the consequence for rebinding and for attackers; its words may change"
      ) { .text($0.consequence) },
    ])
}

#endif
