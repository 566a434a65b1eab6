internal import CRebindTesting
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

  /// All recorded calls.
  public var calls: [RecordedCall] { state.withLock { $0 } }

  /// The recorded calls of one function.
  public func calls(of function: String) -> [RecordedCall] {
    calls.filter { $0.function == function }
  }

  func interceptions(of functions: [String]) -> [Interception] {
    functions.map { function in
      let texts = textArguments(of: function)
      return Interception(
        symbol: function,
        kind: .recorder { [self] registers in
          record(function, registers, texts: texts)
        })
    }
  }

  private func record(_ function: String, _ registers: UnsafePointer<UInt64>, texts: [Int]) {
    let words = UnsafeBufferPointer(start: registers, count: crebind_testing_register_count())
    let call = RecordedCall(
      function: function, words: Array(words),
      texts: texts.compactMap { index in
        UnsafePointer<CChar>(bitPattern: UInt(words[index])).map { String(cString: $0) }
      })
    state.withLock { $0.append(call) }
  }
}
