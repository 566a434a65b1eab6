#if Commands

import ArgumentParser
import RebindFiles

/// Patterns for the readable names of mangled symbols.
struct ReadableNames: Sendable {
  private let patterns: [NamePattern]
  /// A name as it is, without the blanks that say nothing; nil for none.
  private let name: [UInt8]?
  /// How C++ mangles the name if it is an identifier, up to what the function takes; empty for others.
  private let mangledStarts: [[UInt8]]

  init(_ patterns: [NamePattern] = []) {
    self.patterns = patterns
    name = nil
    mangledStarts = []
  }

  /// A name, and no pattern: `operator*` is no beginning.
  init(name: String) {
    patterns = []
    var name = name
    self.name = name.withUTF8 { Array(WithoutBlanks(UnsafeRawBufferPointer($0))) }
    let isIdentifier = name.utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$") || Self.isLetterOrDigit($0)
    }
    mangledStarts =
      isIdentifier ? ["_Z", "_ZL"].map { Array("\($0)\(name.utf8.count)\(name)".utf8) } : []
  }

  fileprivate static func isOfWord(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || isLetterOrDigit(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf) || byte >= 0x80
  }

  var isEmpty: Bool { patterns.isEmpty && name == nil }

  /// True if a mangled name's readable one is asked for: the whole, or without what a function takes,
  /// what a template's function returns, and Rust's hash. The mangled name ends at its first zero byte,
  /// and has one.
  func matches(_ mangled: UnsafeRawBufferPointer) -> Bool {
    if isEmpty { return false }
    if !mangledStarts.isEmpty, !mangledStarts.contains(where: { mangled.starts(with: $0) }) {
      // Most names are no other's, and to demangle them all takes long.
      return false
    }
    var demangler = Demangler()
    guard let readable = demangler.demangle(mangled) else { return false }
    if contains(UnsafeRawBufferPointer(start: readable.baseAddress, count: readable.count + 1)) {
      return true
    }
    guard let place = Self.placeOfName(readable) else { return false }
    return contains(readable[..<place.upperBound])
      || place.lowerBound > 0
        && (contains(readable[place.lowerBound...]) || contains(readable[place]))
  }

  private func contains(_ part: Slice<UnsafeRawBufferPointer>) -> Bool {
    (Array(part) + [0]).withUnsafeBytes { contains($0) }
  }

  private func contains(_ readable: UnsafeRawBufferPointer) -> Bool {
    name.map { WithoutBlanks(readable).elementsEqual($0) } ?? false
      || patterns.contains { $0.matches(readable) }
  }

  /// The place of a function's name in a readable name; nil if the name is all of it. In front of it may
  /// stand the result type of a template's function. Behind it may stand the parameters in parentheses,
  /// or Rust's `::h` and 16 digits.
  private static func placeOfName(_ readable: UnsafeRawBufferPointer) -> Range<Int>? {
    let text = String(decoding: readable, as: UTF8.self)
    guard text.utf8.count == readable.count else { return nil }
    if let hash = text.firstMatch(of: /::h[0-9a-f]{16}$/) {
      return 0..<text.utf8.distance(from: text.startIndex, to: hash.range.lowerBound)
    }
    var (depth, place, start) = (0, 0, 0)
    var isOperator = false
    while place < readable.count {
      let rest = readable[place...]
      if let size = sizeOfOperator(rest), place == 0 || !isLetterOrDigit(readable[place - 1]) {
        isOperator = isOperator || depth <= 0
        place += size
        continue
      }
      switch readable[place] {
      case UInt8(ascii: "<"), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ">"), UInt8(ascii: "}"), UInt8(ascii: ")"): depth -= 1
      case UInt8(ascii: "(") where rest.starts(with: hiddenSpace): place += hiddenSpace.count - 1
      case UInt8(ascii: "(") where depth > 0 || isOfType(readable[..<place]): depth += 1
      case UInt8(ascii: "(") where place > 0:
        let isReturned = place > 0 && readable[place - 1] == UInt8(ascii: ">")
        return (isReturned ? start : 0)..<place
      // `thunk to` and its like are no types.
      case UInt8(ascii: " ") where depth <= 0 && !isOperator:
        let front = readable[..<place]
        if front.suffix(3).elementsEqual(" to".utf8) || front.suffix(4).elementsEqual(" for".utf8) {
          isOperator = true
        } else {
          start = place + 1
        }
      default: break
      }
      place += 1
    }
    return nil
  }

  private static let hiddenSpace = Array("(anonymous namespace)".utf8)

  /// True behind `decltype`, whose parentheses hold no parameters.
  private static func isOfType(_ front: Slice<UnsafeRawBufferPointer>) -> Bool {
    let word = "decltype"
    return front.suffix(word.count).elementsEqual(word.utf8)
      || front.suffix(word.count + 1).elementsEqual("\(word) ".utf8)
  }

  /// How long `operator` is, with the signs that would end a name or change its depth; nil for others.
  private static func sizeOfOperator(_ rest: Slice<UnsafeRawBufferPointer>) -> Int? {
    let word = "operator"
    guard rest.starts(with: word.utf8) else { return nil }
    let signs = rest.dropFirst(word.count)
    if let next = signs.first, next == UInt8(ascii: "_") || isLetterOrDigit(next) { return nil }
    if signs.starts(with: "()".utf8) { return word.count + 2 }
    return word.count + signs.prefix { "<=>-*".utf8.contains($0) }.count
  }
}

/// The bytes of a name up to its zero byte, with blanks only between words: `f( int, char const * )` and
/// `f(int, char const*)` are the same.
private struct WithoutBlanks: Sequence, IteratorProtocol {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var isBehindWord = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> UInt8? {
    let start = place
    while place < bytes.count, bytes[place] == 0x20 { place += 1 }
    guard place < bytes.count, bytes[place] != 0 else { return nil }
    let isWord = ReadableNames.isOfWord(bytes[place])
    if place > start, isBehindWord, isWord {
      isBehindWord = false
      return 0x20
    }
    isBehindWord = isWord
    place += 1
    return bytes[place - 1]
  }
}

/// The argument of the subcommands that find symbols by their names.
struct ReadableNameOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Only the symbols whose demangled name of C++, Swift or Rust matches this pattern, with or \
      without parameters. Rust's v0 mangling is not supported. Repeat for alternatives, to names too.
      """, valueName: "name"))
  var readableName: [NamePattern] = []

  var names: ReadableNames { ReadableNames(readableName) }
}

#endif
