#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// Puts one function's calls into a recording.
struct CallRecorder {
  let function: String
  let texts: [Int]
  /// The index of the argument that limits the texts' bytes, if one does.
  var textLimit: Int?
  let recording: CallRecording

  /// Uses the types that a recording needs, before the first one. The runtime asks for memory while it
  /// holds the lock under which it makes types: a first recorded call of malloc that comes from there
  /// must need none.
  static let isPrepared: Bool = {
    let recording = CallRecording()
    let recorder = CallRecorder(function: "", texts: [0], recording: recording)
    return "".withCString { text in
      let words = [UInt64](
        repeating: UInt64(UInt(bitPattern: text)), count: Int(crebind_testing_register_count()))
      return words.withUnsafeBufferPointer { words in
        let record = words.baseAddress.map {
          crebind_testing_record(
            registers: $0, numbers: (0, 0, 0, 0, 0, 0, 0, 0), caller: text, thread: 0, task: 1,
            is_of_runtime: false)
        }
        let call = record.map(recorder.record)
        recorder.note(crebind_testing_outcome(), of: call ?? 0)
        return call == 0 && recording.calls.count == 1
      }
    }
  }()

  /// A call has arrived. Returns its index.
  func record(_ record: crebind_testing_record) -> Int {
    let words = UnsafeBufferPointer(
      start: record.registers, count: crebind_testing_register_count())
    let numbers = withUnsafeBytes(of: record.numbers) { Array($0.bindMemory(to: UInt64.self)) }
    return recording.add(
      RecordedCall(
        function: function, words: Array(words), numberWords: numbers, textIndices: texts,
        caller: UInt(bitPattern: record.caller),
        texts: texts.compactMap { text(at: words[$0], of: words) }, thread: record.thread,
        task: record.task != 0 ? record.task : nil,
        isOfRuntime: record.is_of_runtime))
  }

  /// The text that an argument points at; nil for NULL, and for one that cannot be read.
  private func text(at word: UInt64, of words: UnsafeBufferPointer<UInt64>) -> String? {
    guard let text = UnsafeRawPointer(bitPattern: UInt(word)) else { return nil }
    let limit = textLimit.map { UInt(words[$0]) } ?? .max
    let length = crebind_testing_text_length(
      text.assumingMemoryBound(to: CChar.self), Int(clamping: limit))
    guard length >= 0 else { return nil }
    return String(
      decoding: UnsafeBufferPointer(
        start: text.assumingMemoryBound(to: UInt8.self), count: length), as: UTF8.self)
  }

  /// The call of an index has returned.
  func note(_ outcome: crebind_testing_outcome, of call: Int) {
    recording.complete(
      call,
      RecordedOutcome(word: outcome.word, number: outcome.number, errno: outcome.error))
  }
}
#endif
