#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `hardening`: what a file, or an image of a process, does against being attacked.
struct HardeningCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "hardening",
    abstract: "Show which protections files have, and their consequences for rebinding.",
    usage: usage,
    overview: """
      A line is a property. A static program has no slots that a loader fills, and an object \
      file has no place yet, so these have fewer properties. A debug file has no code, and is an \
      error.

      With `--require`, each property of a file that is not as required is a line on standard error, \
      and the exit status is 1. A property that a file does not have, such as `pie` of an object file, is not \
      required of it.

      With `--pid`, the images of a process are read: their files if these are proven to be \
      theirs, and else their memory.
      """,
    words: [words],
    examples: [
      "hardening /usr/bin/env",
      "hardening *.so | grep '^relro none'",
      "hardening --require relro=full/partial,stack=nx libfoo.so",
      "hardening --format jsonl *.so | jq '.hardening.relro'",
      "hardening --pid 4711 | grep '^seal '",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "property",
    [
      "relro":
        """
      `full`: slots are read-only once relocated, and have to be opened; `partial`: jump \
      slots stay writable; `none`
      """,
      "binding": "`now`: the slots already hold the originals, as always with musl; `lazy`",
      "pie": "`yes`, `no`, `library`",
      "stack": "`nx`, `executable`",
      "canary":
        """
      `yes`, `no`, `unknown` without symbols that would show it, or if those of a static \
      program may be its C library's
      """,
      "fortify":
        """
      `yes`, `partial`, `no`, `none` if it calls nothing that could be checked, `unknown`. \
      Checked calls go to other names, such as `__memcpy_chk`: rebind these too
      """,
      "branches":
        """
      the protections of `IBT`, `SHSTK`, `BTI`, `PAC` and `GCS` that the code keeps to, or \
      `unchecked`
      """,
      "search-path": "`runpath`, `rpath`, `none`",
      "text-relocations": "`yes`, `no`",
      "writable-code": "`yes`, `no`",
      "symbolic": "`yes`: calls of its own functions have no slots; `no`",
      "seal":
        """
      `requested`: it was linked with `-z memory-seal`, and glibc seals its pages from \
      2.43 on; `no`. Of a process: `sealed`, `partial` or `no`, by mseal(2)
      """,
    ])

  static var record: Record { HardeningReport.record }

  @Option(
    help: ArgumentHelp(
      """
      Fail unless each file has these verdicts: relro=full,pie=yes/library. Slashes separate words of \
      which one is enough; may be repeated.
      """, valueName: "property=verdict"),
    transform: HardeningRequirement.all)
  var require: [[HardeningRequirement]] = []

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    let required = require.flatMap(\.self)
    try report(required.isEmpty ? [] : [.required]) { file throws(ELFFileError) in
      HardeningReport(
        subject: ReportSubject(file), hardening: try file.hardening, required: required)
    } images: { image, scope throws(ELFFileError) in
      HardeningReport(
        subject: ReportSubject(image.image),
        hardening: try (image.file ?? image.loaded).hardening, required: required,
        process: (scope.pid, image.image.loadBias, scope.sealing(of: image)))
    } then: { report, writer in
      for violation in report.violations ?? [] { writer.find(report.subject.path, violation) }
    }
  }
}

#endif
