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
      "[<options>] <file> --pid <pid> [--image <image>]",
    ],
    overview: """
      A fact that one of them has is a line, a fact that has changed is two. The exit status \
      is 1 if anything differs, and 2 if they could not be compared.

      Object files are compared by the symbols that linkers see. Of an archive one member is \
      named: `libfoo.a(bar.o)`.

      With `--pid`, the file is compared with the image of the same build, or the one that was \
      loaded from the path: the file may have been replaced since. The image is read in \
      memory.
      """,
    words: [words],
    examples: [
      "diff old/libfoo.so new/libfoo.so",
      "diff --only export --only defined-version old.so new.so",
      "diff --except build-id reference.so rebuilt.so && echo same",
      "diff /usr/lib/libfoo.so --pid 4711",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "kind", FileChange.Kind.allCases.map { ($0.rawValue, $0.meaning) })

  static var record: Record { DiffReport.record }

  @Option(help: "Compare only this kind; may be repeated.")
  var only: [FileChange.Kind] = []

  @Option(help: "Do not compare this kind; may be repeated.")
  var except: [FileChange.Kind] = []

  @OptionGroup var process: OptionalProcessOption

  @Option(
    help: ArgumentHelp(
      "The image of the process to compare with, by its path, file name or soname.",
      valueName: "image"))
  var image: InputPaths?

  @Argument(
    help: ArgumentHelp(
      "The ELF file before, and behind it the one after, unless --pid has that.",
      valueName: "file"))
  var arguments: [InputPaths]

  @OptionGroup var output: OutputOptions

  private var files: [FilePath] { arguments.flatMap(\.paths) }

  func validate() throws {
    guard !kinds.isEmpty else {
      throw ValidationError("--except leaves nothing of what --only compares.")
    }
    if process.pid == nil {
      guard image == nil else { throw ValidationError("--image is for --pid.") }
      guard files.count == 2 else { throw ValidationError("diff takes two files.") }
    } else {
      guard files.count == 1 else {
        throw ValidationError("diff takes one file with --pid.")
      }
    }
  }

  private var kinds: Set<FileChange.Kind> {
    Set(only.isEmpty ? FileChange.Kind.allCases : only).subtracting(except)
  }

  func run() throws {
    let kinds = kinds
    var writer = ReportWriter(output.formatter(RowShape(DiffReport.row), headings: .none))
    do throws(ELFFileError) {
      let report = try compare(by: kinds)
      writer.write(report)
      writer.outcome.hasFinding = !report.changes.isEmpty
    } catch {
      writer.write(error)
    }
    try writer.finish()
  }

  private func compare(by kinds: Set<FileChange.Kind>) throws(ELFFileError) -> DiffReport {
    let file = try Self.open(files[0])
    if let pid = process.pid { return try compare(file, with: pid, by: kinds) }
    let other = files[1]
    return DiffReport(
      subject: ReportSubject(file), other: other,
      changes: try file.changes(to: Self.open(other), of: kinds))
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
    do throws(ELFFileError) {
      return try ELFFile(path)
    } catch {
      let members = try Archive.members(at: path, insteadOf: error)
      guard members.count == 1 else {
        let (count, first) = (members.count, members[0].text)
        throw ELFFileError(
          path: path,
          reason: .unsupported(
            first == path.text
              ? "has \(count) members of this name"
              : "is an archive of \(count) members: name one, as \(first)"))
      }
      return try ELFFile(members[0])
    }
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
