#if os(Linux) && !REBIND_ELSEWHERE
/// The handling of calls of a function, or of several.
@usableFromInline
struct Interception {
  enum Kind {
    case handler(CSignature, HandlerBody)
    case fault(Fault)
    case recorder(CallRecorder)
    /// Descriptors that a sweep's body closes twice are noted.
    case closeWatch
    /// The time of day stands still.
    case frozenTime(FrozenTime)
    /// Random numbers are those of a seed.
    case seededRandom(UInt64)
    /// Calls that block threads of Swift's pool are noted.
    case blocking(BlockingSearch)
    /// Descriptors that stay open are noted.
    case descriptors
  }

  /// The functions: one, if the kind is not for several.
  let symbols: [String]
  let kind: Kind
  /// No error if no image calls a function.
  var mayBeUncalled = false
  /// No error if nothing defines a function.
  var mayBeUndefined = false
}

extension Interception {
  /// Calls fail.
  init(_ fault: Fault) {
    symbols = [fault.symbol]
    kind = .fault(fault)
  }

  /// Calls reach a handler.
  ///
  /// - Throws: `RebindTestingError` for a structure that is stated wrongly, and where the result is neither a
  ///   `CValue` nor nothing.
  @inlinable
  static func handler<each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable>(
    of symbol: String,
    _ handler:
      @escaping (
        _ original: OriginalFunction<Result, repeat each Argument>,
        _ arguments: repeat each Argument
      ) -> Result
  ) throws(RebindTestingError) -> Interception {
    let signature = try CSignature(
      of: symbol, result: Result.self, arguments: repeat (each Argument).self)
    return Interception(symbol: symbol, signature: signature, body: makeHandlerBody(handler))
  }

  /// The functions of a kind whose list is C's, in the order that C expects.
  static func functions(_ name: (Int) -> UnsafePointer<CChar>?) -> [String] {
    var names: [String] = []
    while let name = name(names.count) { names.append(String(cString: name)) }
    return names
  }

  /// Descriptors that a sweep's body closes twice are noted.
  static var closeWatch: Interception {
    Interception(symbols: ["close"], kind: .closeWatch, mayBeUncalled: true)
  }

  @usableFromInline
  init(symbol: String, signature: CSignature, body: @escaping HandlerBody) {
    symbols = [symbol]
    kind = .handler(signature, body)
  }
}
#endif
