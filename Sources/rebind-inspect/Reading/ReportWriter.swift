#if Commands

import ArgumentParser
import ELFInspection
import Glibc
import RebindFiles

/// The way of what was read to the output: inputs in turn, of which each is shown or has failed.
struct ReportWriter: ~Copyable {
  var output: OutputBuffer
  let formatter: any ReportFormatter
  var outcome = ReportOutcome()
  var summary: (any ReportSummary)?
  /// For each thing that members of the archive lack, the number of these members.
  private var lacks: [String: Int] = [:]

  init(_ formatter: any ReportFormatter) {
    FatalSignals.watch()
    self.formatter = formatter
    output = OutputBuffer(
      descriptor: STDOUT_FILENO,
      wrapper: formatter is TextFormatter ? LineWrapper(descriptor: STDOUT_FILENO) : nil)
    formatter.begin(in: &output)
  }

  /// A writer of one of several threads.
  init(_ formatter: any ReportFormatter, to collector: OutputCollector, isWrapped: Bool) {
    self.formatter = formatter
    output = OutputBuffer(to: collector, isWrapped: isWrapped)
  }

  /// Opens a file and writes what `body` finds in it, and in an archive in each member. A file that
  /// fails is reported. One that was found in a folder, and is no ELF file, is passed over and counted.
  ///
  /// - Parameters:
  ///   - body: Nil for a file that has nothing to show.
  ///   - then: Called with what was written.
  mutating func read<Body: ReportBody>(
    _ entry: FileWalk.Entry, _ body: (ELFFile) throws(ELFFileError) -> Body?,
    then: (Body, inout ReportWriter) -> Void = { _, _ in }
  ) {
    if let error = entry.error { return write(error) }
    guard let root = entry.root else { return read(entry.path, isFound: false, body, then: then) }
    let readCount = outcome.readCount
    let hadFailed = outcome.hasFailed
    outcome.hasFailed = false
    if entry.path.mayHoldELF { read(entry.path, isFound: true, body, then: then) }
    if outcome.readCount > readCount || outcome.hasFailed {
      outcome.folders[root, default: .init()].readCount += 1
    } else {
      outcome.folders[root, default: .init()].otherCount += 1
    }
    outcome.hasFailed = outcome.hasFailed || hadFailed
  }

  /// Writes a line for each folder with files that were passed over. A folder without any ELF file is an
  /// error: a check of it would find nothing.
  mutating func tellFolders(of files: FileWalk) {
    for (index, root) in files.roots.enumerated() {
      let folder = outcome.folders[index] ?? .init()
      let isPlural = folder.otherCount != 1
      if folder.readCount > 0, folder.otherCount > 0 {
        warn(
          root.path,
          "\(folder.otherCount) file\(isPlural ? "s are" : " is") no ELF file\(isPlural ? "s" : "")"
        )
      } else if folder.readCount == 0, !root.isPartial {
        write(
          ELFFileError(
            path: root.path, reason: .unsupported("has no ELF file below it"), field: "the folder"))
      }
    }
  }

  private mutating func read<Body: ReportBody>(
    _ path: FilePath, isFound: Bool, _ body: (ELFFile) throws(ELFFileError) -> Body?,
    then: (Body, inout ReportWriter) -> Void
  ) {
    FatalSignals.isReading(path)
    let file: ELFFile
    do throws(ELFFileError) {
      file = try ELFFile(path)
    } catch {
      do throws(ELFFileError) {
        let members = try Archive.members(at: path, insteadOf: error)
        for member in members { read(member, isFound: isFound, body, then: then) }
        if members.isEmpty, !isFound { warn(path, "the archive has no members") }
        for (lack, count) in lacks.sorted(by: { $0.key < $1.key }) {
          warn(path, "\(count) of \(members.count) members have \(lack)")
        }
        lacks = [:]
      } catch {
        if isFound, [.notELF, .empty, .notRegularFile].contains(error.code) { return }
        write(error)
      }
      return
    }
    outcome.readCount += 1
    do throws(ELFFileError) {
      guard let found = try body(file) else { return }
      write(found)
      then(found, &self)
      if !isFound, let lack = found.lack { tell(lack, of: path) }
      for warning in file.reader.warnings { warn(path, warning) }
    } catch {
      write(error)
    }
  }

  mutating func write(_ body: some ReportBody) {
    outcome.shownCount += 1
    formatter.write(body, in: &output)
  }

  /// Says what an input lacks that was asked for by name. JSON says so itself.
  private mutating func tell(_ lack: String, of path: FilePath) {
    guard !(formatter is JSONFormatter) else { return }
    if path.member?.isOneOfSeveral == true {
      lacks[lack, default: 0] += 1
    } else {
      warn(path, lack)
    }
  }

  /// Writes why an input was not read.
  mutating func write(_ error: ELFFileError) {
    formatter.write(error, in: &output)
    fail(error.filePath, error.message)
  }

  /// Writes a line on standard error of a part of an input that could not be read; the rest is shown.
  mutating func fail(_ path: FilePath, _ message: String) {
    outcome.hasFailed = true
    output.report(path, message)
  }

  /// Writes a line on standard error of an input that has not failed.
  mutating func warn(_ path: FilePath, _ message: String) {
    output.report(path, message)
  }

  /// Writes a line on standard error of what a check has found in an input.
  mutating func find(_ path: FilePath, _ message: String) {
    outcome.hasFinding = true
    output.report(path, message)
  }

  /// Ends the output. Throws the exit status unless it is 0.
  mutating func finish() throws {
    formatter.end(summary, in: &output)
    output.finish()
    try ExitStatus(outcome).end()
  }
}

#endif
