#if Commands

import ArgumentParser
import Glibc
import RebindFiles

/// Patterns for the readable names of mangled symbols.
struct ReadableNames: Sendable {
  private let patterns: [NamePattern]
  /// A name as it is; nil for none.
  private let name: [CChar]?

  init(_ patterns: [NamePattern] = []) {
    self.patterns = patterns
    name = nil
  }

  /// A name, and no pattern: `operator*` is no beginning.
  init(name: String) {
    patterns = []
    self.name = name.utf8.map { CChar(bitPattern: $0) } + [0]
  }

  var isEmpty: Bool { patterns.isEmpty && name == nil }

  /// True if a mangled name's readable one is asked for: the whole, or without what a function takes
  /// and without Rust's hash. The mangled name ends at its first zero byte, and has one.
  func matches(_ mangled: UnsafeRawBufferPointer) -> Bool {
    if isEmpty { return false }
    var demangler = Demangler()
    guard let readable = demangler.demangle(mangled) else { return false }
    if contains(UnsafeRawBufferPointer(start: readable.baseAddress, count: readable.count + 1)) {
      return true
    }
    guard let end = Self.endOfName(readable) else { return false }
    let short = Array(readable[..<end]) + [0]
    return short.withUnsafeBytes { contains($0) }
  }

  private func contains(_ readable: UnsafeRawBufferPointer) -> Bool {
    guard let start = readable.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
    return name.map { strcmp($0, start) == 0 } ?? false
      || patterns.contains { $0.matches(readable) }
  }

  /// The end of a function's name; nil if it is whole. Behind it are the parentheses that hold what
  /// the function takes, or `::h` and 16 digits of Rust's.
  private static func endOfName(_ readable: UnsafeRawBufferPointer) -> Int? {
    let text = String(decoding: readable, as: UTF8.self)
    guard text.utf8.count == readable.count else { return nil }
    if let hash = text.firstMatch(of: /::h[0-9a-f]{16}$/) {
      return text.utf8.distance(from: text.startIndex, to: hash.range.lowerBound)
    }
    var depth = 0
    for place in readable.indices {
      switch readable[place] {
      case UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">"): depth -= 1
      case UInt8(ascii: "(") where depth <= 0 && place > 0:
        let rest = readable[place...]
        let isName =
          rest.starts(with: "(anonymous namespace)".utf8)
          || readable[..<place].suffix(8).elementsEqual("operator".utf8)
        if !isName { return place }
      default: break
      }
    }
    return nil
  }
}

/// The argument of the subcommands that find symbols by their names.
struct ReadableNameOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Only the symbols of this readable name of C++, Swift or Rust (not of its mangling v0), with or \
      without what a function takes: a pattern as for names. Several are alternatives, and also to names.
      """, valueName: "pattern"))
  var readableName: [NamePattern] = []

  var names: ReadableNames { ReadableNames(readableName) }
}

#endif
