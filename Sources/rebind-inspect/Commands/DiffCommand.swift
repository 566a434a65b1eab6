import ArgumentParser
import RebindFiles

/// The subcommand `diff`: what two files do not have in common.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", _superCommandName: "rebind-inspect",
    abstract: "Show what differs between two files, as far as others can tell.",
    usage: "rebind-inspect diff [<options>] <before> <after>",
    discussion: """
      The columns of text are - for the first file or + for the second, the kind, the name, and \
      what the file says of it. What only one has is one line, what has changed is two.

      The kinds are header, build-id, interpreter, soname, needed, needed-order, search-path, defined-version, \
      needed-version, export, import, slot and hardening.

      The exit status is 1 if anything differs.

      EXAMPLES:
        rebind-inspect diff old/libfoo.so new/libfoo.so
        rebind-inspect diff --only export --only defined-version old.so new.so
        rebind-inspect diff --except build-id reference.so rebuilt.so && echo same
      """)

  @Option(help: "Compare only this kind; may be repeated.")
  var only: [FileChange.Kind] = []

  @Option(help: "Do not compare this kind; may be repeated.")
  var except: [FileChange.Kind] = []

  @OptionGroup var options: InputOptions

  func validate() throws {
    guard options.files.count == 2 else { throw ValidationError("diff takes two files.") }
  }

  func run() throws {
    let kinds = Set(only.isEmpty ? FileChange.Kind.allCases : only).subtracting(except)
    let other = options.files[1]
    var writer = ReportWriter(options.output.formatter(hasHeadings: false))
    writer.read(options.files[0]) { file throws(ELFFileError) in
      DiffReport(
        subject: ReportSubject(file), other: other,
        changes: try file.changes(to: Self.open(other), of: kinds))
    } then: { report, writer in
      if !report.changes.isEmpty { writer.fail() }
    }
    try writer.finish()
  }

  /// A file, or the member of an archive that a path names.
  private static func open(_ path: FilePath) throws(ELFFileError) -> ELFFile {
    do throws(ELFFileError) {
      return try ELFFile(path)
    } catch {
      let members = try Archive.members(at: path, insteadOf: error)
      guard members.count == 1 else { throw error }
      return try ELFFile(members[0])
    }
  }
}

extension FileChange.Kind: ExpressibleByArgument {}
