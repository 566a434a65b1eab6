#if Commands

/// The outcome of reading inputs.
struct ReportOutcome: Sendable {
  var hasFailed = false
  /// How many were opened: ELF files, and members of archives that are such.
  var readCount = 0
  /// How many of them had something to show.
  var shownCount = 0

  static func += (outcome: inout Self, other: Self) {
    outcome.hasFailed = outcome.hasFailed || other.hasFailed
    outcome.readCount += other.readCount
    outcome.shownCount += other.shownCount
  }
}

#endif
