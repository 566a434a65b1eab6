#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// A subcommand that reads files, or the images of a process.
protocol FileOrProcessSubcommand: FileSubcommand {
  var process: ProcessInPlaceOption { get }
}

extension FileOrProcessSubcommand {
  var pid: Int32? { process.pid }

  /// For the `validate` of a subcommand that has its own.
  func validateInput() throws { try process.validate(beside: arguments, list, named: "file") }

  func validate() throws { try validateInput() }

  /// The lines of a manual's usage for these.
  static var usage: [String] { ["[<options>] <file> ...", "[<options>] --pid <pid>"] }

  /// The formatter for files, or for the images of a process.
  ///
  /// - Parameter presences: When columns of a table are there beside those that always are.
  func formatter(
    _ row: Record, _ presences: [Presence] = [], of files: FileWalk
  ) -> any ReportFormatter {
    output.formatter(
      RowShape(row, [.always] + presences + (pid == nil ? [] : [.ofProcess])),
      hasHeadings: pid != nil || files.areSeveral)
  }

  /// Reads each file, or each image of the process, and writes what is found in it.
  ///
  /// Throws the exit status unless it is 0.
  func report<Body: ReportBody>(
    _ presences: [Presence] = [],
    _ body: @escaping @Sendable (ELFFile) throws(ELFFileError) -> Body,
    images: (LoadedImage, ProcessScope) throws(ELFFileError) -> Body,
    then: @escaping @Sendable (Body, inout ReportWriter) -> Void = { _, _ in }
  ) throws {
    let files = try files()
    var writer = ReportWriter(formatter(Body.row, presences, of: files))
    if let pid {
      writer.readImages(of: pid) { image, scope throws(ELFFileError) -> Body? in
        try images(image, scope)
      } then: {
        then($0, &$1)
      }
    } else {
      writer.read(files, body, then: then)
    }
    try writer.finish()
  }
}

#endif
