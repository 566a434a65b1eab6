#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting
internal import FaultVocabulary

/// How calls of a function fail, and which calls fail.
///
/// ```swift
/// let tooMany = Fault("open", errno: EMFILE, onCall: 3, when: .path(prefix: "/etc"))
/// try withFailing(tooMany, Fault("socket", errno: EMFILE)) { try loadConfiguration() }
/// ```
public struct Fault: Sendable, Hashable {
  /// The function's name.
  public let symbol: String
  let calls: FaultCalls
  let condition: FaultCondition
  let delay: Duration
  private let result: FaultResult
  private let errno: CInt?

  /// A fault of a function's calls.
  ///
  /// - Parameters:
  ///   - symbol: The function's name, or `name@VERSION`.
  ///   - result: The call's result. A function that returns the error code, such as
  ///     `pthread_create`, returns `errno` unless another result is stated.
  ///   - errno: The calls' `errno`; nil leaves it alone.
  ///   - calls: Which calls fail: a number or a range, counted from 1, or a ``FaultCalls``.
  ///   - condition: Which calls are looked at, by their arguments or their caller.
  ///   - delay: How long a call that is struck waits first.
  public init(
    _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
    onCall calls: some FaultCallsConvertible = .all, when condition: FaultCondition = .always,
    after delay: Duration = .zero
  ) {
    self.symbol = symbol
    self.result = result
    self.errno = errno
    self.calls = calls.faultCalls
    self.condition = condition
    self.delay = delay
  }

  private var function: KnownFunction { KnownFunction(symbol) }

  /// The results of the calls that are struck, in order, as they were stated.
  private var statedResults: [FaultResult] {
    if case .inOrder(let results) = result.kind { results } else { [result] }
  }

  /// The same, with the function's own failure in place of the kind `usual`.
  private var results: [FaultResult] {
    statedResults.map { $0 == .usual ? function.usualResult(error: errno) : $0 }
  }

  private var hasUsualFailure: Bool { statedResults.contains(.usual) }

  /// A function that returns the error code leaves `errno` alone.
  private var error: CInt? { hasUsualFailure && function.returnsErrorCode ? nil : errno }

  /// Why the code cannot be, as a sentence; nil if it can.
  private var errorMistake: String? {
    if errno == 0 { return "errno 0 is no error: leave it out" }
    return errno != nil && isHarmless
      ? "its calls do not fail, so they have no errno: leave it out" : nil
  }

  /// True if no call fails: what the code under test makes of it is no error to pass on.
  var isHarmless: Bool {
    statedResults.allSatisfy { result in
      switch result.kind {
      case .short, .original: true
      default: false
      }
    }
  }

  /// The scope, or nil if memory runs out.
  ///
  /// - Throws: `RebindTestingError` for calls that cannot be, and a result that the function cannot have.
  func makeScope(on hook: OpaquePointer) throws(RebindTestingError) -> OpaquePointer? {
    let (function, results, error) = (function, results, error)
    let condition = condition.resolved(for: function)
    if let mistake = calls.mistake ?? condition.mistake(of: function) ?? errorMistake {
      throw RebindTestingError(code: .invalidFault, symbol: symbol, detail: mistake)
    }
    guard !results.isEmpty else {
      throw RebindTestingError(
        code: .invalidFault, symbol: symbol, detail: "results in order are one at least")
    }
    let index = function.countArgument
    var cResults: [crebind_testing_result] = []
    for result in results {
      if let mistake = function.mistake(of: result) {
        throw RebindTestingError(code: .wrongResult, symbol: symbol, detail: mistake)
      }
      guard let cResult = try result.cResult(of: symbol, countArgument: index, error: error) else {
        return nil
      }
      cResults.append(cResult)
    }
    return condition.withConditions { conditions in
      cResults.withUnsafeBufferPointer { results in
        let fault = crebind_testing_fault(
          first: UInt64(calls.first), last: UInt64(calls.last), every: UInt64(calls.step),
          chance: calls.chance, seed: calls.seed, results: results.baseAddress!,
          result_count: results.count, conditions: conditions.baseAddress,
          condition_count: conditions.count, delay: delay.nanoseconds,
          // A close(2) that fails closes nonetheless.
          closes: hasUsualFailure && function.name == "close")
        // Calls of Swift's libraries and the testing libraries may be left alone.
        return crebind_testing_fault_scope(hook, fault, function.isNeededBySwift)
      }
    }
  }
}

extension FaultResult {
  /// The result in C's form; nil if memory runs out.
  fileprivate func cResult(
    of symbol: String, countArgument: Int?, error: CInt?
  ) throws(RebindTestingError) -> crebind_testing_result? {
    var result = crebind_testing_result()
    result.error = error ?? 0
    switch kind {
    case .word(let word):
      result.kind = CREBIND_TESTING_RETURN_WORD
      result.word = word
    case .float(let bits):
      result.kind = CREBIND_TESTING_RETURN_NUMBER
      result.word = UInt64(bits)
    case .double(let bits):
      result.kind = CREBIND_TESTING_RETURN_NUMBER
      result.word = bits
    case .structure(let type, let codes, let bytes):
      guard bytes.count <= MemoryLayout<ValueSlot>.size else {
        throw RebindTestingError(code: .structureTooLarge, symbol: symbol, detail: type)
      }
      try Libffi.require(for: symbol)
      result.kind = CREBIND_TESTING_RETURN_STRUCTURE
      result.code = codes.withUnsafeBufferPointer { codes in
        codes.withMemoryRebound(to: crebind_testing_type.self) {
          crebind_testing_structure_code($0.baseAddress!, $0.count, bytes, bytes.count)
        }
      }
      if result.code == nil { return nil }
    case .short(let count):
      guard count >= 0 else {
        throw RebindTestingError(
          code: .invalidFault, symbol: symbol, detail: "a count is not negative, as \(count) is")
      }
      guard let countArgument else {
        throw RebindTestingError(code: .noCount, symbol: symbol)
      }
      result.kind = CREBIND_TESTING_RETURN_SHORT
      result.index = UInt8(countArgument)
      result.word = UInt64(count)
    case .original: result.kind = CREBIND_TESTING_RETURN_ORIGINAL
    case .usual, .inOrder:
      throw RebindTestingError(
        code: .invalidFault, symbol: symbol,
        detail: "a result in order is no list of results itself")
    }
    return result
  }
}

extension Duration {
  /// Rounded down; 0 for a negative one.
  fileprivate var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard self > .zero else { return 0 }
    // Some 292 years at most, where a longer one would begin again from 0.
    guard seconds < Int64.max / 1_000_000_000 else { return UInt64(Int64.max) }
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

extension Fault: CustomStringConvertible {
  /// `Fault(open fails with ENOENT on call 3)`.
  public var description: String {
    var words = "\(symbol) \(result)"
    // A function that returns its error code has that as its result.
    let code = error ?? (result == .usual ? results.first?.errorCode(of: symbol) : nil)
    if let code { words += " with \(errorName(code))" }
    if calls != .all { words += " on \(calls)" }
    if condition != .always { words += " when \(condition)" }
    if delay > .zero { words += ", late by \(delay)" }
    return "Fault(\(words))"
  }
}

extension FaultResult: CustomStringConvertible {
  /// `returns -1`, `goes on with at most 4`, `goes on`.
  public var description: String {
    switch kind {
    case .usual: "fails"
    case .word(let word): "returns \(Int64(bitPattern: word))"
    case .float(let bits): "returns \(Float(bitPattern: bits))"
    case .double(let bits): "returns \(Double(bitPattern: bits))"
    case .structure(let type, _, _): "returns \(type)"
    case .short(let count): "goes on with at most \(count)"
    case .original: "goes on"
    case .inOrder(let results):
      results.isEmpty ? "has no results" : results.map(\.description).joined(separator: ", then ")
    }
  }

  /// The code that a function returns in place of `errno`; nil for a function that sets `errno`.
  fileprivate func errorCode(of symbol: String) -> CInt? {
    guard KnownFunction(symbol).returnsErrorCode, case .word(let word) = kind else { return nil }
    return CInt(truncatingIfNeeded: word)
  }
}
#endif
