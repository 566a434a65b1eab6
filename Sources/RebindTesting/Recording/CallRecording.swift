#if os(Linux) && !REBIND_ELSEWHERE
internal import Synchronization

/// The calls that have been recorded so far, in the order in which they were made.
///
/// `withRecordedCalls` gives one to its body, and the trait `.recordingCalls` has one in
/// ``current``.
public final class CallRecording: Sendable {
  private let state = Mutex<[RecordedCall]>([])

  /// The recording of the trait `.recordingCalls` in this test, or else nil.
  public static var current: CallRecording? { ofTask }

  @TaskLocal static var ofTask: CallRecording?

  init() {}

  /// The recorded calls, without those of Swift's runtime.
  public var calls: [RecordedCall] { all.filter { !$0.isOfRuntime } }

  /// The recorded calls of one function, without those of Swift's runtime.
  public func calls(of function: String) -> [RecordedCall] {
    calls.filter { $0.function == function }
  }

  /// The recorded calls of Swift's runtime. For `malloc` and its relatives, and for locks, they
  /// include calls of libdispatch, Foundation, the testing libraries and the C++ library.
  public var callsOfRuntime: [RecordedCall] { all.filter(\.isOfRuntime) }

  /// Under the lock nothing is allocated, which may be recorded.
  private var all: [RecordedCall] { state.withLock { $0 } }

  func interceptions(of functions: [String]) -> [Interception] {
    _ = CallRecorder.isPrepared
    // A name that is given twice records its calls once.
    let known = functions.enumerated().filter { !functions[..<$0.offset].contains($0.element) }
    return known.map(\.element).map { function in
      let recorder = CallRecorder(
        function: function, texts: textArguments(of: function),
        textLimit: textLimitArgument(of: function), recording: self)
      return Interception(symbols: [function], kind: .recorder(recorder))
    }
  }

  /// Adds a call, and returns its index.
  func add(_ call: RecordedCall) -> Int {
    state.withLock { calls in
      calls.append(call)
      return calls.count - 1
    }
  }

  /// The call of an index has returned.
  func complete(_ call: Int, _ outcome: RecordedOutcome) {
    state.withLock { $0[call].outcome = outcome }
  }
}

extension CallRecording: CustomStringConvertible {
  /// The calls, a line each, and how many others Swift's runtime made.
  public var description: String {
    let all = all
    let ofRuntime = all.count(where: \.isOfRuntime)
    let calls = all.filter { !$0.isOfRuntime }.map(\.description)
    let rest =
      ofRuntime == 0
      ? [] : ["\(ofRuntime) \(ofRuntime == 1 ? "call" : "calls") of Swift's runtime"]
    return calls.isEmpty && rest.isEmpty
      ? "no calls" : (calls + rest).joined(separator: "\n")
  }
}
#endif
