#if Commands

/// Where a thread's output of one input after the other goes.
final class OutputCollector {
  private let output: OrderedOutput
  private var index = 0
  private var collected = CollectedOutput()
  /// True if it is the input's turn: what comes is written.
  private var isWriting = false

  init(_ output: OrderedOutput) {
    self.output = output
  }

  func begin(_ index: Int) {
    self.index = index
  }

  func append(_ piece: CollectedOutput.Piece) {
    let isFew = output.keep(collected.append(piece))
    if !isWriting {
      if isFew { return }
      output.waitForTurn(of: index)
      isWriting = true
    }
    output.write(collected)
    collected = CollectedOutput()
  }

  func finish(_ outcome: ReportOutcome) {
    output.finish(index, collected, outcome, isWriting: isWriting)
    collected = CollectedOutput()
    isWriting = false
  }
}

#endif
