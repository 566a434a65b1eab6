#if Commands

import ArgumentParser
import ELFInspection
import Glibc
import RebindFiles

/// The arguments of the subcommands that look for libraries.
struct SearchOptions: ParsableArguments {
  @Option(
    help: """
      The folder that stands for /, as for a program of another machine. The environment does not \
      count then.
      """, completion: .directory)
  var root: InputPaths?

  @Option(
    help: "Folders to look into, in place of those that LD_LIBRARY_PATH names.",
    completion: .directory)
  var libraryPath: String?

  @Option(
    help: "Libraries to load first, in place of those that LD_PRELOAD names.",
    completion: .file())
  var preload: String?

  func validate() throws {
    guard let root = root?.paths.first else { return }
    var status = stat()
    let isThere = stat(root.cString, &status) == 0
    guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
      let reason = String(cString: strerror(isThere ? ENOTDIR : errno))
      throw ValidationError("--root \(root.text): \(reason)")
    }
  }

  /// One for all files of the command line.
  var resolver: LibraryResolver {
    LibraryResolver(
      LibrarySearch(
        root: root?.paths.first,
        libraryPath: value(libraryPath, "LD_LIBRARY_PATH"), preload: value(preload, "LD_PRELOAD")))
  }

  private func value(_ option: String?, _ variable: String) -> String {
    if let option { return RawArguments.text(option) }
    return root == nil ? getenv(variable).map { String(cString: $0) } ?? "" : ""
  }
}

#endif
