#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `diff`: what two files do not have in common, or a file and what a process has
/// loaded.
struct DiffCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", _superCommandName: "rebind-inspect",
    abstract: "Show what differs between two files, or a file and a process, as others can tell.",
    usage: """
      rebind-inspect diff [<options>] <before> <after>
      rebind-inspect diff [<options>] <file> --pid <pid> [--image <image>]
      """,
    discussion: """
      The columns of text are - for the first file or + for the second, the kind, the name, and \
      what the file says of it. What only one has is one line, what has changed is two.

      The kinds are header, build-id, interpreter, soname, needed, needed-order, search-path, defined-version, \
      needed-version, export, import, slot and hardening.

      Object files are compared by the symbols that linkers see. Of an archive one member is \
      named: libfoo.a(bar.o).

      Of a process the image of the same build is compared, or the one that was loaded from the \
      path: the file may have been replaced since. It is read in memory, and has two kinds more. A \
      slot-value is a slot that somebody has rebound, an export-value a definition that leads \
      elsewhere than in the image's file. What is behind - is then where the loader would lead it.

      The exit status is 1 if anything differs.

      EXAMPLES:
        rebind-inspect diff old/libfoo.so new/libfoo.so
        rebind-inspect diff --only export --only defined-version old.so new.so
        rebind-inspect diff --except build-id reference.so rebuilt.so && echo same
        rebind-inspect diff /usr/lib/libfoo.so --pid 4711
      """)

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

  @OptionGroup var options: InputOptions

  func validate() throws {
    if process.pid == nil {
      guard image == nil else { throw ValidationError("--image is for --pid.") }
      guard options.files.count == 2 else { throw ValidationError("diff takes two files.") }
    } else {
      guard options.files.count == 1 else {
        throw ValidationError("diff takes one file with --pid.")
      }
    }
  }

  func run() throws {
    let kinds = Set(only.isEmpty ? FileChange.Kind.allCases : only).subtracting(except)
    var writer = ReportWriter(options.output.formatter(headings: .none))
    do throws(ELFFileError) {
      let report = try compare(by: kinds)
      writer.write(report)
      if !report.changes.isEmpty { writer.fail() }
    } catch {
      writer.write(error)
    }
    try writer.finish()
  }

  private func compare(by kinds: Set<FileChange.Kind>) throws(ELFFileError) -> DiffReport {
    let file = try Self.open(options.files[0])
    if let pid = process.pid { return try compare(file, with: pid, by: kinds) }
    let other = options.files[1]
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

#endif
