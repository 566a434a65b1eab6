#if Commands

import Glibc
import Rebind

/// Writes the outputs of inputs that several threads work on, in the order of the inputs.
///
/// A thread takes the next input, and keeps its output until all output in front of it is written.
/// The thread that finished the input in front then writes the output. A thread whose output becomes
/// long waits for its turn and writes it itself. No thread takes an input that is far behind the one
/// whose turn it is. So little output is kept in memory.
final class OrderedOutput: Sendable {
  private let state: Monitor<State>
  private let count: Int
  // This is safe: only the thread that is writing uses it, and `state` says which one that is.
  private nonisolated(unsafe) var output: OutputBuffer
  private let progress: ProgressBar?

  private struct State: Sendable {
    /// The input that is taken next.
    var next = 0
    /// The input whose output is written next, or is being written.
    var turn = 0
    var isWriting = false
    /// The outputs that wait for their turn.
    var finished: [Int: CollectedOutput] = [:]
    /// The number of bytes that are kept, including those of inputs that are still worked on.
    var size = 0
    var outcome = ReportOutcome()
  }

  /// - Parameters:
  ///   - count: The number of inputs.
  ///   - isBegun: Whether the output has something in front of them.
  ///   - isWrapped: Whether lines are broken for a terminal.
  init(count: Int, isBegun: Bool, isWrapped: Bool, progress: ProgressBar?) {
    self.count = count
    self.progress = progress
    state = Monitor(State())
    output = OutputBuffer(
      descriptor: STDOUT_FILENO, isBegun: isBegun,
      wrapper: isWrapped ? LineWrapper(descriptor: STDOUT_FILENO) : nil)
  }

  /// The number of an input that nobody works on yet; nil if none is left.
  func nextInput() -> Int? {
    state.waiting { state -> Int?? in
      if state.next == count { return .some(nil) }
      let isFar = state.next - state.turn >= Self.longestLead || state.size > Self.mostBytes
      if isFar, state.next > state.turn { return nil }
      state.next += 1
      return state.next - 1
    }
  }

  /// Counts bytes that are kept. Returns false if they are too many.
  func keep(_ size: Int) -> Bool {
    state.withLock { state in
      state.size += size
      return state.size <= Self.mostBytes
    }
  }

  /// Waits until it is an input's turn. From then on, until `finish`, only the caller writes.
  func waitForTurn(of index: Int) {
    state.waiting { state -> Void? in
      guard state.turn == index, !state.isWriting else { return nil }
      state.isWriting = true
      return ()
    }
  }

  /// Writes a part of the output of the input whose turn the caller has waited for.
  func write(_ part: CollectedOutput) {
    if part.isEmpty { return }
    progress?.clear()
    for piece in part.pieces {
      switch piece {
      case .bytes(let bytes): bytes.withUnsafeBytes { output.append(raw: $0) }
      case .start(let first, let others): output.append(first: first, others: others)
      case .diagnostic(let path, let message): output.report(path, message)
      }
    }
    // Standard output and standard error may be the same terminal.
    if progress != nil { output.flush() }
    _ = keep(-part.size)
  }

  /// Takes the rest of an input's output. If it is the input's turn, writes the rest, and the
  /// outputs behind it that are finished.
  ///
  /// - Parameter isWriting: Whether the caller has waited for the turn.
  func finish(_ index: Int, _ rest: CollectedOutput, _ outcome: ReportOutcome, isWriting: Bool) {
    var next = state.withLock { state -> CollectedOutput? in
      state.outcome += outcome
      if isWriting { return rest }
      state.finished[index] = rest
      return state.isWriting ? nil : Self.beginTurn(&state)
    }
    while let part = next {
      write(part)
      next = state.withLock { state in
        state.turn += 1
        progress?.show(state.turn, of: count)
        return Self.beginTurn(&state)
      }
    }
  }

  /// The output that the caller then writes; nil if that is not there yet.
  private static func beginTurn(_ state: inout State) -> CollectedOutput? {
    let part = state.finished.removeValue(forKey: state.turn)
    state.isWriting = part != nil
    return part
  }

  /// Ends the output, when all threads have: what became of the inputs, and whether the output has
  /// something in it.
  func end() -> (outcome: ReportOutcome, isBegun: Bool) {
    progress?.clear()
    output.flush()
    return (state.withLock { $0.outcome }, output.isBegun)
  }

  /// How far the input that is taken may be behind the one whose turn it is.
  private static let longestLead = 256
  /// How many bytes are kept at most, beside what the threads are about to add.
  private static let mostBytes = 4 << 20
}

#endif
