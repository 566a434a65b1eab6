#if Commands

import ArgumentParser
import RebindFiles

/// A symbol that is asked about: `name`, `name@VERSION`, or patterns for either.
struct SymbolQuery: ExpressibleByArgument, Sendable {
  /// The text on the command line, for people.
  let text: String
  private let name: NamePattern?
  private let readable: ReadableNames
  /// Nil for any.
  let version: NamePattern?

  /// By their readable names.
  init(readable patterns: [NamePattern], text: String) {
    self.text = text
    name = nil
    readable = ReadableNames(patterns)
    version = nil
  }

  /// Nil without a name, without a version behind an @, or if it is no regular expression.
  init?(argument: String) {
    let parts = Self.parts(of: argument)
    guard !parts[0].isEmpty, let name = NamePattern(argument: String(parts[0])) else { return nil }
    self.name = name
    readable = ReadableNames()
    text = RawArguments.text(argument)
    guard parts.count > 1 else {
      version = nil
      return
    }
    // `name@@VERSION` is a default version.
    let text = String(parts[1].drop { $0 == "@" })
    guard !text.isEmpty, let version = NamePattern(argument: text) else { return nil }
    self.version = version
  }

  /// The name, and the version if one is asked for. The text between slashes is one expression.
  private static func parts(of argument: String) -> [Substring] {
    guard argument.first == "/" else {
      return argument.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    }
    // Behind an expression that has at least one letter.
    guard
      let separator = argument.ranges(of: "/@").last(where: {
        argument.distance(from: argument.startIndex, to: $0.lowerBound) > 1
      })
    else { return [argument[...]] }
    return [
      argument[...separator.lowerBound], argument[argument.index(after: separator.lowerBound)...],
    ].enumerated().map { $0.offset == 0 ? $0.element : $0.element.dropFirst() }
  }

  /// The indices of the symbols that a file takes from others and that are asked about.
  ///
  /// - Complexity: O(*n*), where *n* is the number of symbols.
  func imports(of table: SymbolTable) -> [Int] {
    table.indices.filter { index in
      let symbol = table[index]
      guard !symbol.isDefined, matches(table.name(of: symbol)) else { return false }
      guard let version else { return true }
      guard let found = table.versions?.version(of: symbol, at: index) else { return false }
      return version.matches(table.strings.bytes(from: found.nameOffset))
    }
  }

  /// True if a name that ends at its first zero byte, and has one, is asked for.
  func matches(_ symbol: UnsafeRawBufferPointer) -> Bool {
    name?.matches(symbol) ?? readable.matches(symbol)
  }

  /// Selects the symbols that others can take from a file.
  var exports: SymbolFilter {
    SymbolFilter(
      part: .exports, isWeak: false, names: name.map { [$0] } ?? [], isReadable: false,
      readable: readable,
      versions: version.map { [$0] } ?? [], types: [], sizes: [], order: .index)
  }
}

#endif
