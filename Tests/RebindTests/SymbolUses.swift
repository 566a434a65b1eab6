import TestSupport

/// The names that are used in code which users see: in articles, examples and samples; and in the command.
enum SymbolUses {
  /// Members that a protocol of somebody else's requires, or that a result builder has.
  private static let required: Set = [
    "description", "==", "hash", "rawValue", "init", "encode", "isRecursive", "prepare",
    "provideScope", "scopeProvider", "cType", "faultCalls", "callAsFunction", "buildArray",
    "buildBlock", "buildEither", "buildExpression", "buildOptional", "subscript",
  ]

  /// The symbols of a module that need a use, and have none.
  ///
  /// A type may be used through its members, or in another declaration. The kinds of an error or a diagnosis, and the constants of the ELF
  /// format, are there to be compared with.
  static func missing(in graph: SymbolGraph, of module: String) throws -> [String] {
    let names = try names.get()
    func isUsed(_ symbol: SymbolGraph.Symbol) -> Bool { names.contains(symbol.name) }
    return graph.symbols.filter { symbol in
      let isKind =
        symbol.pathComponents.contains("Code") || symbol.path.contains(/(Fault|Diagnosis)\.Reason/)
        || module == "ELFVocabulary" && symbol.declaration.hasPrefix("static let")
      guard !isKind, !required.contains(symbol.name), !isUsed(symbol) else { return false }
      guard symbol.name.first!.isUppercase else { return true }
      return !graph.symbols.contains {
        let isMember = $0.path.hasPrefix(symbol.path + ".")
        return isMember
          ? isUsed($0) : $0.path != symbol.path && $0.words.contains(symbol.name)
      }
    }.map(\.path)
  }

  private static let names = Result {
    var names: Set<String> = []
    func add(_ code: String) {
      names.formUnion(code.matches(of: /\w+|&&/).map { String($0.output) })
    }
    for module in DocumentationTests.modules {
      for piece in try DocumentedCode.of(module) { add(piece.code) }
    }
    for file in try files {
      let text = try String(contentsOf: file, encoding: .utf8)
      if file.pathExtension == "swift" {
        // A member, a call, or a type. A declaration of the same name is no use.
        for use in text.matches(of: /[.(\[ ]([A-Z]\w*)|\.(\w+)|(?:try|await|return|=|in) (\w+)\b/) {
          names.insert(String(use.1 ?? use.2 ?? use.3 ?? ""))
        }
      } else {
        var isCode = false
        for line in text.split(separator: "\n") {
          if line.hasPrefix("```") { isCode.toggle() }
          // The lists of a landing page name everything.
          if isCode {
            add(String(line))
          } else if !line.hasPrefix("- ``") {
            for span in line.matches(of: /`+([^`]+)`+/) { add(String(span.1)) }
          }
        }
      }
    }
    return names
  }

  private static var files: [URL] {
    get throws {
      let folders = ["Documentation", "Samples", "Sources"]
      return try [Places.package.appending(path: "README.md")]
        + folders.flatMap { folder in
          let place = Places.package.appending(path: folder)
          return try FileManager.default.subpathsOfDirectory(atPath: place.path).filter {
            let isShown =
              folder == "Samples" || $0.hasPrefix("ELFInspection/")
              || $0.hasPrefix("rebind-inspect/")
            return !$0.contains(".build/")
              && ($0.hasSuffix(".md") || isShown && $0.hasSuffix(".swift"))
          }.map { place.appending(path: $0) }
        }
    }
  }
}
