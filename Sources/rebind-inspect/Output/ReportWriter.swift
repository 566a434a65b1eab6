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

  /// Opens a file and writes what `body` finds in it, and in an archive in each member. A file that
  /// fails is reported. `then` is called with what was written.
  mutating func read<Body: ReportBody>(
    _ path: FilePath, _ body: (ELFFile) throws(ELFFileError) -> Body,
    then: (Body, inout ReportWriter) -> Void = { _, _ in }
  ) {
    FatalSignals.isReading(path)
    let file: ELFFile
    do throws(ELFFileError) {
      file = try ELFFile(path)
    } catch {
      do throws(ELFFileError) {
        for member in try Archive.members(at: path, insteadOf: error) {
          read(member, body, then: then)
        }
      } catch {
        write(error)
      }
      return
    }
    do throws(ELFFileError) {
      let found = try body(file)
      write(found)
      then(found, &self)
    } catch {
      write(error)
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

  /// Makes the exit status 1, by what the output says already.
  mutating func fail() {
    hasFailed = true
  }

  /// Ends the output. Throws the exit status 1 if anything failed.
  mutating func finish() throws {
    formatter.end(in: &output)
    output.finish()
    if hasFailed { throw ExitCode.failure }
  }
}
