#if Commands

import ELFInspection
import RebindFiles

extension ReportWriter {
  /// Opens files and writes what `body` finds in each, in their order: several at a time, where
  /// that is faster.
  ///
  /// - Parameter then: Called with what was written.
  mutating func read<Body: ReportBody>(
    _ files: FileWalk,
    _ body: @escaping @Sendable (ELFFile) throws(ELFFileError) -> Body,
    then: @escaping @Sendable (Body, inout ReportWriter) -> Void = { _, _ in }
  ) {
    forEach(files.count, threads: ThreadCount.reading(files.lazy.map(\.path))) { index, writer in
      writer.read(files[index], body, then: then)
    }
    tellFolders(of: files)
  }

  /// Calls `work` with the numbers of inputs, in several threads at a time, each with a writer
  /// whose output follows that of the inputs in front.
  mutating func forEach(
    _ count: Int, threads: Int, progress: ProgressBar? = nil,
    _ work: @escaping @Sendable (Int, inout ReportWriter) -> Void
  ) {
    if threads < 2, progress == nil {
      for index in 0..<count { work(index, &self) }
      return
    }
    output.flush()
    let isWrapped = output.isWrapped
    let ordered = OrderedOutput(
      count: count, isBegun: output.isBegun, isWrapped: isWrapped, progress: progress)
    let formatter = formatter
    let body: @Sendable () -> Void = {
      FatalSignals.watchThread()
      let collector = OutputCollector(ordered)
      var writer = ReportWriter(formatter, to: collector, isWrapped: isWrapped)
      while let index = ordered.nextInput() {
        collector.begin(index)
        work(index, &writer)
        writer.output.flush()
        collector.finish(writer.outcome)
        writer.outcome = ReportOutcome()
      }
    }
    var others: [WorkerThread] = []
    while others.count < threads - 1, let thread = WorkerThread(body) { others.append(thread) }
    body()
    for thread in others { thread.join() }
    let (outcome, isBegun) = ordered.end()
    self.outcome += outcome
    output.isBegun = isBegun
  }
}

#endif
