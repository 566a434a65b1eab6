#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindStubs
internal import FaultVocabulary

extension KnownFunction {
  /// Its result when it fails.
  func usualResult(error: CInt?) -> FaultResult {
    switch usualFailure(error: error) {
    case .word(let word): FaultResult(integerLiteral: Int(word))
    case .float(let number): .value(number)
    case .double(let number): .value(number)
    }
  }

  /// False for one that looks at its caller, or returns twice: it has to return to its caller itself.
  var mayBeCalledThrough: Bool { crebind_stubs_entry_only(name) == nil }

  /// Why it cannot have a result, as a sentence; nil if it can, as far as its type is known.
  func mistake(of result: FaultResult) -> String? {
    guard let resultType else { return nil }
    let given: String
    switch (result.kind, resultType) {
    case (.word, .word), (.float, .float), (.double, .double): return nil
    case (.usual, _), (.short, _), (.original, _), (.inOrder, _): return nil
    case (.word, _): given = "an integer or a pointer"
    case (.float, _): given = "a float"
    case (.double, _): given = "a double"
    case (.structure(let type, _, _), _): given = type
    }
    switch resultType {
    case .word: return "it returns an integer or a pointer, and the fault \(given)"
    case .float: return "it returns a float, and the fault \(given): write .value(Float(…))"
    case .double: return "it returns a double, and the fault \(given): write .value(Double(…))"
    }
  }
}
#endif
