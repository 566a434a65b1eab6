#if Commands

import ArgumentParser
import ELFInspection
import Glibc
import RebindFiles

/// The subcommand `section`: what a section holds.
struct SectionCommand: FileSubcommand {
  static let manual = Manual(
    name: "section",
    abstract: "Show the contents of a section.",
    usage: [
      "[<options>] <name> <file> ..."
    ],
    overview: """
      Compressed sections are decompressed first. Without section headers, the sections are \
      found that a note of the file names.
      """,
    words: [words],
    examples: [
      "section .comment --as strings libfoo.so",
      "section module_names --as pointers app",
      "section .rodata --as raw app > rodata",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "`--as`",
    [
      "strings": "a line has the offset of a string in the section, and the string",
      "pointers":
        """
      a line has a word's address, the link-time address that the loader would put there, and the \
      string there, if it is text. `?` and a symbol stand for one that another image has
      """,
      "hex": "a line has an address, 16 bytes, and their characters",
      "raw": "the bytes of one file are written as they are",
    ])

  static var record: Record { SectionReport.record }

  @Argument(help: "The name of the section.")
  var name: String

  @Option(help: "The form that the bytes are shown in.")
  var `as`: SectionView = .hex

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var output: OutputOptions

  func validate() throws {
    try validateInput()
    guard !name.isEmpty else { throw ValidationError("A section has a name.") }
    guard `as` == .raw else { return }
    guard output.isPlain else {
      throw ValidationError(
        "--as raw has no --format, paths or titles: JSON has the bytes as base64.")
    }
  }

  func run() throws {
    let name = RawArguments.text(name)
    if `as` == .raw { return try writeRaw(name) }
    let view = `as`
    try report(rows: RowShape(SectionReport.row(of: view))) { file throws(ELFFileError) in
      try SectionReport(of: file, file.sectionContents(named: name), as: view)
    }
  }

  private func writeRaw(_ name: String) throws {
    let files = try list.files(behind: arguments)
    guard files.count == 1 else {
      Self.exit(withError: ValidationError("--as raw takes one file."))
    }
    FatalSignals.watch()
    for path in files {
      FatalSignals.isReading(path)
      do throws(ELFFileError) {
        var output = OutputBuffer(descriptor: STDOUT_FILENO)
        try ELFFile(fileOrMember: path).forEachPiece(ofSection: name) { output.append(raw: $0) }
        output.finish()
      } catch {
        Diagnostics.report(path, error.message)
        try ExitStatus.trouble.end()
      }
    }
  }
}

/// The values of `--as`.
enum SectionView: String, CaseIterable, ExpressibleByArgument {
  case strings, pointers, hex, raw
}

#endif
