#if Commands

import FaultVocabulary
import Glibc

/// One run of a sweep, as it ended.
struct SweepOutcome {
  /// The status that waitpid(2) gives.
  var status: Int32
  var hasTimedOut = false
  var output: [UInt8]
  var errorOutput: [UInt8]
  /// The files that it changed, with sums of their contents.
  var files: [String]
  var watch: WatchedRun
  /// The calls of each rule.
  var calls: [(met: UInt64, struck: UInt64)]
  /// Why rules reached nothing.
  var notes: [String]

  /// The signal that ended it; nil for none.
  var signal: Int32? { status & 0x7f == 0 ? nil : status & 0x7f }
  var exitStatus: Int32? { signal == nil ? status >> 8 & 0xff : nil }

  /// True if both have the same output and files.
  func hasOutput(of other: SweepOutcome) -> Bool {
    output == other.output && files == other.files
  }
}

/// A misbehaviour of a program when a call failed.
struct Finding {
  var kind: FindingClass
  /// A line about it.
  var detail: String
  /// Where the failing call came from, and where the program crashed: a line for each frame.
  var strike, crash: [String]

  init(kind: FindingClass, detail: String, strike: [String], crash: [String]) {
    (self.kind, self.detail, self.strike, self.crash) = (kind, detail, strike, crash)
  }

  /// Findings with the same key are taken for the same defect: the same kind, where the program calls what fails or
  /// crashes.
  var key: String {
    let places = crash.isEmpty ? strike : crash
    return
      "\(kind.rawValue)\n\(places.first { !WatchedRun.Frame.isLibc($0) } ?? places.first ?? detail)"
  }

  /// Judges a run in which a call failed by one in which none did; nil for no finding.
  ///
  /// - Parameter isStable: The output is the same in each run without a failure.
  init?(_ run: SweepOutcome, bare: SweepOutcome, isStable: Bool) {
    strike = run.watch.strike.map(\.words)
    crash = run.watch.crash.map(\.words)
    let message = Self.newLine(of: run.errorOutput, beside: bare.errorOutput)
    if run.hasTimedOut {
      (kind, detail) = (.hang, FindingClass.endByTime)
      crash = []
    } else if let report = Self.report(in: run.errorOutput),
      Self.report(in: bare.errorOutput) == nil
    {
      (kind, detail) = (.sanitizer, report)
    } else if let signal = run.signal, signal != bare.signal {
      // It gave up, and said why, unless it is an assertion.
      let givesUp = signal == SIGABRT || signal == SIGTRAP
      if givesUp, let message, !message.contains("ssertion"), !Self.isOfAllocator(message) {
        return nil
      }
      let isInLibc = run.watch.crash.first?.isLibc == true && !givesUp
      kind = isInLibc || givesUp && Self.callsLibcAlone(run.watch.crash) ? .crashInLibc : .crash
      detail = FindingClass.end(by: signal) + (message.map { ": \($0)" } ?? "")
      if crash.isEmpty { detail += ", at a place that is not known: it handles signals by itself" }
    } else if run.watch.badCloses > bare.watch.badCloses {
      (kind, detail) = (.closedTwice, "close failed with EBADF")
    } else if let usual = bare.exitStatus, let status = run.exitStatus, message == nil,
      let finding = Self.silent(run, status, bare, usual: usual, isStable: isStable)
    {
      (kind, detail) = finding
    } else if bare.exitStatus != nil, run.exitStatus == bare.exitStatus,
      let descriptor = Self.leftOpen(run, bare)
    {
      (kind, detail) = (.leftOpen, descriptor)
    } else {
      return nil
    }
  }

  /// Judges a run without a message on standard error.
  private static func silent(
    _ run: SweepOutcome, _ status: Int32, _ bare: SweepOutcome, usual: Int32, isStable: Bool
  ) -> (FindingClass, String)? {
    if status == usual {
      guard isStable, !run.hasOutput(of: bare), !saysSo(run, bare) else { return nil }
      return (status == 0 ? .wrongOutput : .otherOutput, difference(run, bare))
    }
    guard isStable ? bare.output.starts(with: run.output) : run.output.isEmpty else { return nil }
    return status == 0
      ? (.wrongOutput, "it exits with 0 instead of \(usual)")
      : (.silent, "it exits with \(status), and says nothing")
  }

  /// True for a program that says on standard output that something failed, beside all that it says without that.
  private static func saysSo(_ run: SweepOutcome, _ bare: SweepOutcome) -> Bool {
    var awaited = lines(bare.output)[...]
    var added: [String] = []
    for line in lines(run.output) {
      if line == awaited.first { awaited.removeFirst() } else { added.append(line.lowercased()) }
    }
    let words = ["memory", "error", "warning", "fail", "cannot", "unable"]
    return awaited.isEmpty && added.contains { line in words.contains { line.contains($0) } }
  }

  /// The first line of an output that the other one does not have.
  private static func newLine(of output: [UInt8], beside bare: [UInt8]) -> String? {
    let former = Set(lines(bare))
    return lines(output).first { !former.contains($0) && !$0.isEmpty }.map {
      String($0.prefix(200))
    }
  }

  static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private static func report(in output: [UInt8]) -> String? {
    lines(output).first {
      $0.contains("ERROR: AddressSanitizer") || $0.contains("ERROR: LeakSanitizer")
        || $0.contains(": runtime error: ") || $0.contains("WARNING: ThreadSanitizer")
        || $0.contains("WARNING: MemorySanitizer")
    }
  }

  /// glibc's malloc says such lines when its memory is corrupt.
  private static func isOfAllocator(_ message: String) -> Bool {
    [
      "free(): ", "malloc(): ", "double free", "corrupted ", "munmap_chunk(): ", "realloc(): ",
      "*** ",
    ]
    .contains { message.contains($0) }
  }

  private static func callsLibcAlone(_ frames: [WatchedRun.Frame]) -> Bool {
    // abort is called by what the third or fourth frame has.
    frames.prefix(5).allSatisfy(\.isLibc) && !frames.isEmpty
  }

  private static func difference(_ run: SweepOutcome, _ bare: SweepOutcome) -> String {
    guard run.output != bare.output else {
      return fileDifference(run.files, bare.files)
    }
    let own = lines(run.output), others = lines(bare.output)
    let index =
      zip(own, others).enumerated().first { $1.0 != $1.1 }?.offset ?? min(own.count, others.count)
    func line(_ lines: [String]) -> String {
      index < lines.count ? "'\(lines[index].prefix(80))'" : "the end"
    }
    let isLayout = run.output.filter(isVisible) == bare.output.filter(isVisible)
    return
      "line \(index + 1) is \(line(own)) instead of \(line(others))\(isLayout ? ", in blanks alone" : "")"
  }

  private static func isVisible(_ byte: UInt8) -> Bool { byte != UInt8(ascii: " ") && byte != 9 }

  /// A path and, behind a tab, a sum of the contents or `gone`.
  private static func fileDifference(_ files: [String], _ bare: [String]) -> String {
    let own = Set(files).subtracting(bare), others = Set(bare).subtracting(files)
    func path(_ file: String) -> Substring { file.prefix { $0 != "\t" } }
    let file = own.union(others).min() ?? ""
    let isOwn = own.contains { path($0) == path(file) }
    let isOther = others.contains { path($0) == path(file) }
    return switch (isOwn, isOther, file.hasSuffix("\tgone")) {
    case (true, true, _): "file \(path(file)) has other contents"
    case (true, false, true): "file \(path(file)) is removed"
    case (true, false, false): "file \(path(file)) is written"
    case (false, _, true): "file \(path(file)) is not removed"
    case (false, _, false): "file \(path(file)) is not written"
    }
  }

  /// The streams of a program stay open by intent, and a deleted file is gone with the program.
  private static func isLeak(_ descriptor: String) -> Bool {
    let number = descriptor.prefix { $0 != " " }
    return !["0", "1", "2"].contains(number) && !descriptor.hasSuffix(" (deleted)")
  }

  /// A descriptor that is open at the end, and was not without the failure.
  private static func leftOpen(_ run: SweepOutcome, _ bare: SweepOutcome) -> String? {
    guard let own = run.watch.openAtEnd?.filter(isLeak),
      let others = bare.watch.openAtEnd?.filter(isLeak),
      own.count > others.count
    else { return nil }
    return own.first { line in
      !others.contains { $0.prefix { $0 != " " } == line.prefix { $0 != " " } }
    }
    .map { "descriptor \($0) is open at the end" }
  }
}

extension WatchedRun.Frame {
  var isLibc: Bool { Self.isLibc(words) }

  /// Whether a frame, by its words, lies in the C library or the loader.
  static func isLibc(_ words: String) -> Bool {
    ["libc.so", "libc-2", "ld-linux", "libpthread"].contains { words.hasPrefix($0) }
  }

  /// `sed+0x1234 regcomp`.
  var words: String {
    let name = image.split(separator: "/").last.map(String.init) ?? "?"
    return "\(name)+\(offset)\(function.isEmpty ? "" : " \(function)")"
  }
}

#endif
