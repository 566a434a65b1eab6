#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// A C function's type: checked, and in the form that the C side takes.
@usableFromInline
struct CSignature {
  /// The result's and the arguments' `crebind_testing_type`s, one after another.
  let codes: [UInt8]

  /// - Throws: `RebindTestingError` for a structure that is too large, or whose fields are not stated
  ///   rightly, and for a result that is neither a `CValue` nor `Void`.
  @usableFromInline
  init<each Argument: CValue & BitwiseCopyable>(
    of symbol: String, result: Any.Type, arguments: repeat (each Argument).Type
  ) throws(RebindTestingError) {
    var codes = CType.void.codes
    if let type = result as? any CValue.Type {
      codes = try checked(type, of: symbol)
    } else if result != Void.self {
      throw RebindTestingError(code: .unknownResult, symbol: symbol, detail: "\(result)")
    }
    for argument in repeat each arguments { codes += try checked(argument, of: symbol) }
    self.codes = codes
  }
}

extension CSignature {
  /// How many registers for integers and pointers its arguments leave; 0 if they are of other kinds, too.
  var restCount: Int {
    let arguments = codes.dropFirst()
    let isOfWords = arguments.allSatisfy { code in
      code == CREBIND_TESTING_POINTER.rawValue || code < CREBIND_TESTING_FLOAT.rawValue
    }
    return isOfWords ? max(crebind_testing_register_count() - arguments.count, 0) : 0
  }
}

private func checked<Value: CValue>(
  _ type: Value.Type, of symbol: String
) throws(RebindTestingError) -> [UInt8] {
  guard MemoryLayout<Value>.size <= MemoryLayout<ValueSlot>.size else {
    throw RebindTestingError(code: .structureTooLarge, symbol: symbol, detail: "\(type)")
  }
  guard let layout = type.cType.layout,
    layout == (MemoryLayout<Value>.stride, MemoryLayout<Value>.alignment)
  else { throw RebindTestingError(code: .wrongFields, symbol: symbol, detail: "\(type)") }
  return type.cType.codes
}
#endif
