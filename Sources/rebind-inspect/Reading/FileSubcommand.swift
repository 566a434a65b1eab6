#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// A subcommand that reads files and nothing else.
///
/// It declares each group of its options itself, and no group has others in it: in a debug build,
/// ArgumentParser checks a group four times a level, which tests feel.
protocol FileSubcommand: Subcommand {
  /// `@Argument(help: .files)`
  var arguments: [InputPaths] { get }
  var list: FileListOptions { get }
  var output: OutputOptions { get }
}

extension ArgumentHelp {
  static let files = ArgumentHelp(
    "The ELF files to read, and the folders whose files to read.", valueName: "file")
}

extension FileSubcommand {
  func validate() throws { try validateInput() }

  /// For the `validate` of a subcommand that has its own.
  func validateInput() throws { try list.validate(beside: arguments, named: "file") }

  /// The files that are named, in their order, and those below folders that are named.
  func files() throws -> FileWalk {
    FileWalk(try list.files(behind: arguments), isEachOnce: false)
  }

  /// Reads each file and writes what `body` finds in it, several at a time where that is faster.
  ///
  /// Throws the exit status unless it is 0.
  ///
  /// - Parameters:
  ///   - rows: The columns of a table; nil for those that the body always has.
  ///   - then: Called with what was written.
  ///   - end: Called when all files are read.
  func report<Body: ReportBody>(
    rows: RowShape? = nil, _ body: @escaping @Sendable (ELFFile) throws(ELFFileError) -> Body,
    then: @escaping @Sendable (Body, inout ReportWriter) -> Void = { _, _ in },
    end: (inout ReportWriter) -> Void = { _ in }
  ) throws {
    let files = try files()
    var writer = ReportWriter(
      output.formatter(rows ?? RowShape(Body.row), hasHeadings: files.areSeveral))
    writer.read(files, body, then: then)
    end(&writer)
    try writer.finish()
  }
}

extension FileWalk {
  /// True if text has a heading for each file.
  var areSeveral: Bool { count > 1 || !roots.isEmpty }
}

extension OutputOptions {
  /// Reads files one after the other and writes what `body` finds in each, for what is kept from file
  /// to file.
  ///
  /// - Parameters:
  ///   - files: The named files.
  ///   - headings: Nil for the headings of several files.
  ///   - rows: The columns of a table; nil for those that the body always has.
  ///   - then: Called with what was written.
  ///   - end: Called when all files are read.
  func reportInTurn<Body: ReportBody>(
    _ files: FileWalk, headings: TextHeadings? = nil, rows: RowShape? = nil,
    _ body: (ELFFile) throws(ELFFileError) -> Body,
    then: (Body, inout ReportWriter) -> Void, end: (inout ReportWriter) -> Void = { _ in }
  ) throws {
    let usual: TextHeadings = files.areSeveral ? .ofAll : .ofMembers
    var writer = ReportWriter(
      formatter(rows ?? RowShape(Body.row), headings: headings ?? usual))
    for file in files { writer.read(file, body, then: then) }
    writer.tellFolders(of: files)
    end(&writer)
    try writer.finish()
  }
}

#endif
