#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting
internal import FaultVocabulary

/// A scope on its hooks, from before it begins until nothing leads to it any more.
///
/// Sendable, because what it holds is constant, and because its closures are called
/// where the user's rebinding is to act: that is what the user has asked for.
@usableFromInline
final class ActiveScope: @unchecked Sendable {
  let symbols: [String]
  /// Used at each call: the handler or the recorder, taken out of the interception's kind.
  private let handler: HandlerBody?
  private let recorder: CallRecorder?
  /// Only for a scope that a test has made and that reaches the whole process; else nil.
  private let otherTests: OtherTests?
  /// The `crebind_testing_scope *`, whose context is this object.
  private(set) var pointer: OpaquePointer!

  /// - Throws: `RebindTestingError` if memory runs out, if a handler needs libffi and it is not there, or
  ///   for a result that the function cannot have.
  init(
    _ interception: Interception, reach: ReachKind, on hooks: [OpaquePointer]
  ) throws(RebindTestingError) {
    symbols = interception.symbols
    handler = if case .handler(_, let body) = interception.kind { body } else { nil }
    recorder = if case .recorder(let recorder) = interception.kind { recorder } else { nil }
    otherTests = reach == .process ? OtherTests() : nil
    // After the other fields, because C is given `self`.
    pointer = try makeScope(of: interception.kind, on: hooks)
    if pointer == nil { throw RebindTestingError(code: .outOfMemory, symbol: symbol) }
    if otherTests != nil { noteOtherTests() }
  }

  /// The function of a scope that has one.
  var symbol: String { symbols[0] }

  private func noteOtherTests() {
    crebind_testing_set_meeting(pointer, noteCall, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Notes a call by a Swift task whose outcome this scope has changed.
  fileprivate func noteCallOfTask() { otherTests?.noteCall() }

  /// Reports, in the test that made a process-wide scope, whose calls the scope has met.
  func reportOtherTests() { otherTests?.report(symbols.joined(separator: ", ")) }

  deinit {
    if let pointer { withOriginals { crebind_testing_free(pointer) } }
  }

  private func makeScope(
    of kind: Interception.Kind, on hooks: [OpaquePointer]
  ) throws(RebindTestingError) -> OpaquePointer? {
    let hook = hooks[0]
    // Not retained: C calls with it only while something keeps this object.
    let context = Unmanaged.passUnretained(self).toOpaque()
    switch kind {
    case .handler(let signature, _):
      try Libffi.require(for: symbol)
      let rest = KnownFunction(symbol).isVariadic ? signature.restCount : 0
      let codes =
        signature.codes + Array(repeating: CREBIND_TESTING_UINT64.rawValue, count: rest)
      return codes.withUnsafeBufferPointer { codes in
        codes.withMemoryRebound(to: crebind_testing_type.self) {
          crebind_testing_handler_scope(
            hook, $0.baseAddress!, $0.count, rest, callHandler, context)
        }
      }
    case .fault(let fault):
      return try fault.makeScope(on: hook)
    case .recorder:
      let function = KnownFunction(symbol)
      return crebind_testing_recorder_scope(
        hook, callRecorder, function.mayBeCalledThrough ? callObserver : nil, context,
        function.isNeededBySwift)
    case .closeWatch:
      return crebind_testing_close_watch(hook)
    case .frozenTime(let time):
      return crebind_testing_frozen_scope(hooks, time.seconds, time.nanoseconds)
    case .seededRandom(let seed):
      try SwiftJobs.follow()
      return crebind_testing_seeded_scope(hooks, seed)
    case .blocking(let search):
      return search.makeScope(on: hooks)
    case .descriptors:
      return crebind_testing_descriptor_scope(hooks)
    }
  }

  var counts: CallCounts { CallCounts(crebind_testing_counts_of(pointer)) }

  /// The calls that a fault has decided on, of those that fulfil its condition.
  var faultCalls: Int { Int(crebind_testing_fault_calls(pointer)) }

  fileprivate func handle(_ call: HandlerCall) { handler?(call) }

  fileprivate func record(_ record: UnsafePointer<crebind_testing_record>) -> Int {
    recorder?.record(record.pointee) ?? 0
  }

  fileprivate func note(_ outcome: UnsafePointer<crebind_testing_outcome>, of call: Int) {
    recorder?.note(outcome.pointee, of: call)
  }

  /// Calls what the call would have reached without this scope, a handler's.
  @usableFromInline
  func callOriginal(_ arguments: UnsafeMutableBufferPointer<ValueSlot>) -> ValueSlot {
    var result = ValueSlot()
    crebind_testing_call_original(pointer, &result, arguments.baseAddress!)
    return result
  }
}

private func callHandler(
  context: UnsafeMutableRawPointer, result: UnsafeMutableRawPointer,
  arguments: UnsafePointer<UnsafeMutableRawPointer>
) {
  Unmanaged<ActiveScope>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.handle(HandlerCall(scope: $0, result: result, arguments: arguments))
  }
}

private func noteCall(context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<ActiveScope>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.noteCallOfTask() }
}

private func callRecorder(
  context: UnsafeMutableRawPointer, record: UnsafePointer<crebind_testing_record>
) -> UInt64 {
  Unmanaged<ActiveScope>.fromOpaque(context)._withUnsafeGuaranteedRef {
    UInt64($0.record(record))
  }
}

private func callObserver(
  context: UnsafeMutableRawPointer, call: UInt64,
  outcome: UnsafePointer<crebind_testing_outcome>
) {
  Unmanaged<ActiveScope>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.note(outcome, of: Int(call))
  }
}
#endif
