#if Commands

import CRebindRun
import FaultVocabulary
import Glibc

/// A pattern for functions, and what becomes of calls that it matches.
struct Rule {
  /// `[LIBRARY:]NAME[@VERSION]`, each part with wildcards.
  var pattern: String
  var effect = Effect.goesOn
  /// In nanoseconds.
  var delay: UInt64 = 0
  /// The calls that are struck, by their number.
  var calls = Calls()
  /// Patterns of the calling image, and of the path that is an argument; nil for all.
  var images: String?
  var path: String?

  enum Effect: Hashable {
    /// With a code of `errno`; nil for the usual one.
    case fails(CInt?)
    case returns(Int64)
    /// Bytes or items.
    case limits(Int64)
    case goesOn
  }

  struct Calls: Hashable {
    var first: UInt64 = 1
    var last = UInt64.max
    var every: UInt64 = 1
  }

  /// The name without a library and a version.
  var function: Substring {
    let name = pattern.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
    return name.prefix { $0 != "@" }
  }

  /// The words for a command line.
  var words: String {
    switch effect {
    case .fails(nil): pattern
    case .fails(let code?): "\(pattern)=\(errorName(code))"
    case .returns(let result): "\(pattern)=\(result)"
    case .limits(let count): "\(pattern)=short:\(count)"
    case .goesOn: pattern
    }
  }

  var entry: crebind_run_rule {
    var entry = crebind_run_rule()
    switch effect {
    case .fails(let error):
      (entry.effect, entry.error) = (UInt32(CREBIND_RUN_FAILS), error ?? 0)
    case .returns(let result):
      (entry.effect, entry.result) = (UInt32(CREBIND_RUN_RETURNS), result)
    case .limits(let count): (entry.effect, entry.result) = (UInt32(CREBIND_RUN_LIMITS), count)
    case .goesOn: entry.effect = UInt32(CREBIND_RUN_GOES_ON)
    }
    entry.delay = delay
    (entry.first, entry.last, entry.every) = (calls.first, calls.last, calls.every)
    return entry
  }
}

// MARK: - The command line

extension Rule {
  /// `open`, `open=ENOENT`, `getuid=0`, `malloc=NULL`, `write=short` and `write=short:100`.
  init(fault text: String) throws(RunError) {
    let (pattern, value) = Self.split(text)
    guard !pattern.isEmpty, !pattern.contains("=") else {
      throw RunError(
        status: 64,
        "'\(text)': write a function, and at most one result behind it, such as open=EIO")
    }
    self.init(
      pattern: pattern,
      effect: try value.map { word throws(RunError) in try Self.effect(word, of: text) }
        ?? .fails(nil))
    if let name = Self.knownNumber(function) {
      throw RunError(
        status: 64, "'\(text)': \(name) returns a number with a fraction, which has no failure here"
      )
    }
    let isNamed = !pattern.contains { "*?[".contains($0) }
    if isNamed, effect == .fails(nil) {
      let known = KnownFunction(String(function))
      guard KnownFunction.names.contains(known.name),
        known.usualError != nil || known.returnsErrorCode
      else {
        throw RunError(
          status: 64,
          "'\(text)': no usual failure of \(function) is known: write \(pattern)=ERROR, such as \(pattern)=EIO, or \(pattern)=RESULT"
        )
      }
    }
  }

  /// `connect=200ms`.
  init(delay text: String) throws(RunError) {
    let (pattern, value) = Self.split(text)
    guard let value, let delay = Self.nanoseconds(value) else {
      throw RunError(
        status: 64, "'\(text)': write a time behind the function, such as \(pattern)=200ms")
    }
    self.init(pattern: pattern, delay: delay)
  }

  private static func split(_ text: String) -> (String, String?) {
    guard let sign = text.lastIndex(of: "=") else { return (text, nil) }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }

  private static func effect(_ word: String, of text: String) throws(RunError) -> Effect {
    if let code = errorCode(named: word) { return .fails(code) }
    if word == "NULL" { return .returns(0) }
    if word == "short" { return .limits(1) }
    if word.hasPrefix("short:"), let count = Int64(word.dropFirst(6)), count > 0 {
      return .limits(count)
    }
    if let number = Int64(word) { return .returns(number) }
    throw RunError(
      status: 64,
      "'\(text)': '\(word)' is neither an error, such as ENOENT, nor a number, NULL, short or short:COUNT"
    )
  }

  private static func knownNumber(_ name: Substring) -> String? {
    switch KnownFunction(String(name)).resultType {
    case .float, .double: String(name)
    case .word, nil: nil
    }
  }

  /// Of a time with its unit: ns, us, ms, s or m.
  static func nanoseconds(_ text: String) -> UInt64? {
    let units: [(String, Double)] = [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 6e10)]
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }),
      let number = Double(text.dropLast(unit.count)), number >= 0, number * factor < 1e18
    else { return nil }
    return UInt64(number * factor)
  }
}

extension Rule.Calls {
  /// `3`, `2-4` or `5-`.
  init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = UInt64(parts[0]), first > 0 else { return nil }
    self.first = first
    last = first
    guard parts.count == 2 else { return }
    if parts[1].isEmpty {
      last = .max
    } else if let end = UInt64(parts[1]), end >= first {
      last = end
    } else {
      return nil
    }
  }
}

#endif
