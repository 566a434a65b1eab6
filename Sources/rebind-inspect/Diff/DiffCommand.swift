#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `diff`: what two files do not have in common, or a file and what a process has
/// loaded.
struct DiffCommand: Subcommand {
  static let manual = Manual(
    name: "diff",
    abstract: "Compare what two files, or a file and a process, export, import and need.",
    usage: [
      "[<options>] <file> <file>",
      "[<options>] <file> --baseline <facts>",
      "[<options>] <file> --facts",
      "[<options>] <file> --pid <pid> [--image <image>]",
    ],
    overview: """
      A fact that one of them has is a line, a fact that has changed is two. The exit status \
      is 1 if anything differs, and 2 if they could not be compared.

      With `--breaking`, a column says what each change means for callers, which were linked with the \
      first file and run with the second. The exit status is 1 only if a change is `breaking`. \
      The types of parameters and the fields of structures leave no trace in these facts. `abidiff` \
      compares those, by debug information.

      With `--facts`, the facts of one file are listed. Kept as JSON, they stand for the first file of a \
      later comparison: `--baseline`.

      Object files are compared by the symbols that linkers see. Of an archive one member is \
      named: `libfoo.a(bar.o)`.

      With `--pid`, the file is compared with the image of the same build, or the one that was \
      loaded from the path: the file may have been replaced since. The image is read in \
      memory.
      """,
    words: [words, effects],
    examples: [
      "diff old/libfoo.so new/libfoo.so",
      "diff --only export --only defined-version old.so new.so",
      "diff --except build-id reference.so rebuilt.so && echo same",
      "diff --breaking old.so new.so || echo 'a new major version'",
      "diff --facts --format json libfoo.so > libfoo.json",
      "diff --breaking --baseline libfoo.json libfoo.so",
      "diff /usr/lib/libfoo.so --pid 4711",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "kind", FileChange.Kind.allCases.map { ($0.rawValue, $0.meaning) })

  private static let effects = WordList(
    "effect",
    [
      "breaking":
        """
      an export that is gone, weak now, of another type, or data of another size. A version, a default version \
      or a soname that is gone. Another class, byte order, machine or type of file. A new needed library
      """,
      "compatible":
        """
      a new export or version; a new default version beside the old one; an export that is no longer weak; \
      a needed library less
      """,
      "neutral":
        """
      all else: build ID, search path, imports and slots. `requires --at-most`, \
      `symbols --unresolved` and `hardening --require` judge what a new build needs
      """,
    ])

  static var record: Record { DiffReport.record }

  static var records: [Record] { [record, FactReport.record] }

  @Option(help: "Compare only this kind; may be repeated.")
  var only: [FileChange.Kind] = []

  @Option(help: "Do not compare this kind; may be repeated.")
  var except: [FileChange.Kind] = []

  @Flag(
    help: "Say what each change means for callers. The exit status is 1 only if one is breaking.")
  var breaking = false

  @Flag(help: "List the facts of one file, for --baseline with --format json.")
  var facts = false

  @Option(
    help: ArgumentHelp(
      "The facts of the file before, as --facts with --format json lists them.", valueName: "facts"),
    completion: .file())
  var baseline: InputPaths?

  @OptionGroup var readability: DemangleOption

  @OptionGroup var process: OptionalProcessOption

  @Option(
    help: ArgumentHelp(
      "The image of the process to compare with, by its path, file name or soname.",
      valueName: "image"))
  var image: InputPaths?

  @Argument(
    help: ArgumentHelp(
      "The ELF file before, and behind it the one after, unless an option has one of them.",
      valueName: "file"))
  var arguments: [InputPaths]

  @OptionGroup var output: OutputOptions

  private var files: [FilePath] { arguments.flatMap(\.paths) }

  func validate() throws {
    guard !kinds.isEmpty else {
      throw ValidationError("--except leaves nothing of what --only compares.")
    }
    guard image == nil || process.pid != nil else { throw ValidationError("--image is for --pid.") }
    let others = [
      process.pid == nil ? nil : "--pid", facts ? "--facts" : nil,
      baseline.map { _ in "--baseline" },
    ].compactMap(\.self)
    guard others.count < 2 else {
      throw ValidationError("\(others.joined(separator: " and ")) exclude each other.")
    }
    guard files.count == 2 - others.count else {
      throw ValidationError(
        others.first.map { "diff takes one file with \($0)." } ?? "diff takes two files.")
    }
    guard !facts || !breaking && only.isEmpty && except.isEmpty else {
      throw ValidationError("--facts lists all facts, and judges none.")
    }
  }

  private var kinds: Set<FileChange.Kind> {
    Set(only.isEmpty ? FileChange.Kind.allCases : only).subtracting(except)
  }

  func run() throws {
    let kinds = kinds
    let row = facts ? FactReport.row : DiffReport.row
    let rows = RowShape(row, [.always] + readability.value.presences)
    var writer = ReportWriter(output.formatter(rows, headings: .none))
    do throws(ELFFileError) {
      let opened = try files.map { path throws(ELFFileError) in try Self.open(path) }
      if facts {
        let file = opened[0]
        writer.write(FactReport(ReportSubject(file), try FileFacts(of: file, kinds)))
      } else {
        var report = try compare(opened, by: kinds)
        report.showsEffects = breaking
        report.demangling = readability.value
        writer.write(report)
        writer.outcome.hasFinding = report.changes.contains { !breaking || $0.effect == .breaking }
      }
      for (path, file) in zip(files, opened) {
        for warning in file.reader.warnings { writer.warn(path, warning) }
      }
    } catch {
      writer.write(error)
    }
    try writer.finish()
  }

  private func compare(
    _ opened: [ELFFile], by kinds: Set<FileChange.Kind>
  ) throws(ELFFileError) -> DiffReport {
    let file = opened[0]
    if let path = baseline?.paths.first {
      let before = try FileFacts(baseline: path)
      var subject = ReportSubject(file)
      subject.path = path
      return DiffReport(
        subject: subject, other: files[0],
        changes: before.changes(to: try FileFacts(of: file, kinds), of: kinds))
    }
    if let pid = process.pid { return try compare(file, with: pid, by: kinds) }
    return DiffReport(
      subject: ReportSubject(file), other: files[1],
      changes: try file.changes(to: opened[1], of: kinds))
  }

  private func compare(
    _ file: ELFFile, with pid: Int32, by kinds: Set<FileChange.Kind>
  ) throws(ELFFileError) -> DiffReport {
    let scope = try ProcessScope(pid: pid)
    let name = image?.paths.first
    let found =
      if let name {
        scope.ordinaryImages.first { $0.isNamed(name) }
      } else {
        try scope.image(of: file)
      }
    guard let found else {
      throw ELFFileError(path: name ?? file.reader.path, reason: .notLoaded(process: pid))
    }
    return DiffReport(
      subject: ReportSubject(file), other: found.image.path, pid: pid,
      changes: try scope.changes(from: file, to: found, of: kinds))
  }

  /// A file, or the member of an archive that a path names.
  private static func open(_ path: FilePath) throws(ELFFileError) -> ELFFile {
    FatalSignals.isReading(path)
    return try ELFFile(fileOrMember: path)
  }
}

extension FileChange.Kind: ExpressibleByArgument {}

extension FileChange.Kind {
  fileprivate var meaning: String {
    switch self {
    case .header: "class, byte order, machine and type"
    case .buildID: "the build ID"
    case .interpreter: "the path of the loader"
    case .soname: "the name that others ask for it by"
    case .needed: "the libraries that it needs"
    case .neededOrder: "the order of the libraries that both need"
    case .searchPath: "`DT_RPATH` and `DT_RUNPATH`"
    case .definedVersion: "a version of symbols that it defines"
    case .neededVersion: "a version of symbols that it needs"
    case .export:
      "a definition with its type, and data with its size, which programs may have built in"
    case .`import`: "an undefined symbol with its binding"
    case .slot: "how many slots of each type of relocation a symbol has"
    case .hardening: "a property that `hardening` explains"
    case .slotValue: "with `--pid`: a slot that somebody has rebound"
    case .exportValue: "with `--pid`: a definition that leads elsewhere than in the image's file"
    }
  }
}

#endif
