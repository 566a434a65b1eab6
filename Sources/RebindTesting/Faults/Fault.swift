internal import CRebindTesting

/// How a function's calls fail, and which calls fail.
struct Fault: Sendable {
  var symbol: String
  /// The results of the calls that are struck, in order. The initialiser replaces the kind `usual`
  /// by the function's own failure, so no result has that kind.
  var results: [FaultResult]
  var error: CInt?
  var calls: FaultCalls
  var condition: FaultCondition
  var delay: Duration
  /// Leaves calls of Swift's libraries and the testing libraries alone.
  let sparesLibraries: Bool
  /// A close(2) that fails closes nonetheless.
  let closes: Bool

  init(
    of symbol: String, result: (any FaultValue)?, error: CInt?, calls: FaultCalls = .all,
    condition: FaultCondition = .always, delay: Duration = .zero
  ) {
    self.symbol = symbol
    self.calls = calls
    self.condition = condition
    self.delay = delay
    let function = KnownFunction(symbol)
    let isUsual = result.faultResult.kind == .usual
    // A function that returns the error code leaves errno alone.
    self.error = isUsual && function.returnsErrorCode ? nil : error
    if case .inOrder(let results) = result.faultResult.kind {
      self.results = results.map { $0.kind == .usual ? function.usualFailure(error: error) : $0 }
    } else {
      results = [isUsual ? function.usualFailure(error: error) : result.faultResult]
    }
    sparesLibraries = function.isNeededBySwift
    closes = function.name == "close" && isUsual
  }

  /// True if no call fails: what the code under test makes of it is no error to pass on.
  var isHarmless: Bool {
    results.allSatisfy { result in
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
    if let mistake = calls.mistake ?? condition.mistake {
      throw RebindTestingError(code: .invalidFault, symbol: symbol, detail: mistake)
    }
    guard !results.isEmpty else {
      throw RebindTestingError(
        code: .invalidFault, symbol: symbol, detail: "results in order are one at least")
    }
    let function = KnownFunction(symbol)
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
          condition_count: conditions.count, delay: delay.nanoseconds, closes: closes)
        return crebind_testing_fault_scope(hook, fault, sparesLibraries)
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
    return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
  }
}
