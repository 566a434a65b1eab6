internal import CRebindTesting

/// Puts one function's calls into a recording.
struct CallRecorder {
  let function: String
  let texts: [Int]
  let recording: CallRecording

  /// A call has arrived. Returns its index.
  func record(_ record: crebind_testing_record) -> Int {
    let words = UnsafeBufferPointer(
      start: record.registers, count: crebind_testing_register_count())
    let numbers = withUnsafeBytes(of: record.numbers) { Array($0.bindMemory(to: UInt64.self)) }
    return recording.add(
      RecordedCall(
        function: function, words: Array(words), numberWords: numbers, textIndices: texts,
        caller: UInt(bitPattern: record.caller),
        texts: texts.compactMap { index in
          UnsafePointer<CChar>(bitPattern: UInt(words[index])).map { String(cString: $0) }
        }, thread: record.thread, task: record.task != 0 ? record.task : nil,
        isOfRuntime: record.is_of_runtime))
  }

  /// The call of an index has returned.
  func note(_ outcome: crebind_testing_outcome, of call: Int) {
    recording.complete(
      call,
      RecordedOutcome(word: outcome.word, number: outcome.number, errno: outcome.error))
  }
}
