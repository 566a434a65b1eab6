#if Commands

import ArgumentParser
import Glibc

/// The exit statuses. A wrong command line has ArgumentParser's, 64.
enum ExitStatus: Int32 {
  /// All was read. A check or a comparison found nothing, or a search found something.
  case clean = 0
  /// A check or a comparison found something, or a search found nothing.
  case found = 1
  /// An input, a section or a record could not be read, or the output could not be written. This goes before
  /// the other two.
  case trouble = 2

  init(_ outcome: ReportOutcome) {
    self = outcome.hasFailed ? .trouble : outcome.hasFinding ? .found : .clean
  }

  /// Ends a subcommand: throws unless the status is 0.
  func end() throws {
    if self != .clean { throw ExitCode(rawValue) }
  }

  /// Ends the program at once.
  func endProgram() -> Never { _exit(rawValue) }
}

#endif
