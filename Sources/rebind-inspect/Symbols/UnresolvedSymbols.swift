#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The imports of a file and of its libraries that nothing defines, as `ldd -r` finds them.
struct UnresolvedSymbols {
  private let origins: SymbolOrigins
  /// The file's own; nil if it has no symbols.
  private(set) var own: UnresolvedImports?
  /// Each library that lacks some, with their names.
  private var libraries: [(path: FilePath, names: [String])] = []
  private var errors: [ELFFileError] = []

  /// - Parameters:
  ///   - graph: The file and its libraries.
  ///   - allowed: Patterns of names that somebody else brings.
  init(in graph: DependencyGraph, allowed: [NamePattern]) throws(ELFFileError) {
    origins = SymbolOrigins(of: graph)
    for (place, image) in graph.images.enumerated() {
      do throws(ELFFileError) {
        var found = try origins.scope.unresolvedImports(of: image, at: place)
        found?.remove { name in allowed.contains { $0.matches(name) } }
        if place == 0 {
          own = found
        } else if let names = found?.needed, !names.isEmpty {
          libraries.append((image.path, names))
        }
      } catch {
        if place == 0 { throw error }
        errors.append(error)
      }
    }
  }

  /// Writes a line for each library that lacks symbols, and for each problem of the file.
  func tell(of report: SymbolReport, _ writer: inout ReportWriter) {
    let path = report.subject.path
    for library in libraries {
      let names = library.names.joined(separator: " ")
      writer.find(path, "nothing defines what \(library.path.text) imports: \(names)")
    }
    for error in errors { writer.fail(path, error.description) }
    origins.tell(of: path, &writer)
    guard let table = report.symbols.table else { return }
    report.symbols.selection.forEach(in: table) { _, symbol in
      if symbol.binding != .weak { writer.outcome.hasFinding = true }
    }
  }
}

#endif
