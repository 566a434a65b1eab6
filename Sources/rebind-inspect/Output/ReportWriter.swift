import ArgumentParser
import Glibc
import RebindFiles

/// The way of what was read to the output: inputs in turn, of which each is shown or has failed.
struct ReportWriter: ~Copyable {
  private var output = OutputBuffer(descriptor: STDOUT_FILENO)
  private var formatter: any ReportFormatter
  private var hasFailed = false

  init(_ formatter: any ReportFormatter) {
    FatalSignals.watch()
    self.formatter = formatter
    self.formatter.begin(in: &output)
  }

  /// Opens a file and writes what `body` finds in it. A file that fails is reported.
  ///
  /// - Returns: What was found; nil if the file failed.
  @discardableResult
  mutating func read<Body: ReportBody>(
    _ path: FilePath, _ body: (ELFFile) throws(ELFFileError) -> Body
  ) -> Body? {
    FatalSignals.isReading(path)
    do throws(ELFFileError) {
      let found = try body(ELFFile(path))
      write(found)
      return found
    } catch {
      write(error)
      return nil
    }
  }

  mutating func write(_ body: some ReportBody) {
    formatter.write(body, in: &output)
  }

  /// Writes why an input was not read.
  mutating func write(_ error: ELFFileError) {
    formatter.write(error, in: &output)
    fail(error.filePath, error.message)
  }

  /// Writes a line on standard error of an input, which is shown nevertheless.
  mutating func fail(_ path: FilePath, _ message: String) {
    hasFailed = true
    // Both streams may be one terminal: the line goes where the file is.
    output.flush()
    Diagnostics.report(path, message)
  }

  /// Ends the output. Throws the exit status 1 if anything failed.
  mutating func finish() throws {
    formatter.end(in: &output)
    output.finish()
    if hasFailed { throw ExitCode.failure }
  }
}
