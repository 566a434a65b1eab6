#if Commands

import ArgumentParser
import Glibc
import RebindFiles

/// The arguments that name a list of files, for more files than a command line takes.
struct FileListOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also read the files listed in this file, one a line; - is standard input.",
      valueName: "list"),
    completion: .file())
  var filesFrom: [InputPaths] = []

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "The names in --files-from end in zero bytes, as find -print0 writes them.")
  var null = false

  func validate() throws {
    guard !null || !filesFrom.isEmpty else { throw ValidationError("-0 is for --files-from.") }
    guard filesFrom.allSatisfy({ $0.paths.count == 1 }) else {
      throw ValidationError("--files-from takes one list.")
    }
  }

  /// Throws unless files are named in one way or the other.
  func validate(beside arguments: [InputPaths], named name: String) throws {
    guard arguments.isEmpty, filesFrom.isEmpty else { return }
    throw ValidationError("Missing expected argument '<\(name)> ...'")
  }

  /// The files of the command line, and those of the lists.
  ///
  /// Throws the exit status if a list cannot be read, or if none names a file: a check of no file would find
  /// nothing.
  func files(behind arguments: [InputPaths]) throws -> [FilePath] {
    let lists = filesFrom.flatMap(\.paths)
    let files = try lists.reduce(into: arguments.flatMap(\.paths)) { $0 += try names(in: $1) }
    if files.isEmpty, let list = lists.first { throw Self.fail(list, "the list names no file") }
    return files
  }

  private func names(in list: FilePath) throws -> [FilePath] {
    var files: [FilePath] = []
    let end: UInt8 = null ? 0 : 0x0a
    // Keeps no more of the list than the name that ends in the next piece.
    var names: [UInt8] = []
    try Self.read(list) { piece in
      guard null || !piece.contains(0) else {
        throw Self.fail(list, "the names end in zero bytes, which -0 reads")
      }
      guard let last = piece.lastIndex(of: end) else {
        names += piece
        return
      }
      names += piece[..<last]
      files += names.split(separator: end).map { FilePath(Array($0)) }
      names = Array(piece[(last + 1)...])
    }
    return names.isEmpty ? files : files + [FilePath(names)]
  }

  private static func fail(_ list: FilePath, _ reason: String) -> ExitCode {
    Diagnostics.report(list.text == "-" ? FilePath("standard input") : list, reason)
    return ExitCode(ExitStatus.trouble.rawValue)
  }

  private static func read(
    _ list: FilePath, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    let isInput = list.text == "-"
    let descriptor = isInput ? STDIN_FILENO : open(list.cString, O_RDONLY | O_CLOEXEC)
    defer { if !isInput, descriptor >= 0 { close(descriptor) } }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = descriptor < 0 ? -1 : Glibc.read(descriptor, &piece, piece.count)
      if count == 0 { return }
      if count > 0 {
        try body(piece[..<count])
      } else if errno != EINTR || descriptor < 0 {
        throw fail(list, String(cString: strerror(errno)))
      }
    }
  }
}

#endif
