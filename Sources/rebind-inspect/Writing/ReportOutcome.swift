#if Commands

/// The outcome of reading inputs, which decides the exit status.
struct ReportOutcome: Sendable {
  /// True if an input, a section or a record could not be read.
  var hasFailed = false
  /// True if a check or a comparison found something, or a search found nothing.
  var hasFinding = false
  /// How many were opened: ELF files, and members of archives that are such.
  var readCount = 0
  /// How many of them had something to show.
  var shownCount = 0
  /// The counts of each folder that was named, by its index.
  var folders: [Int: Folder] = [:]

  /// The files below a folder.
  struct Folder {
    /// How many are ELF files, or archives, or could not be read.
    var readCount = 0
    /// How many are neither, and were passed over.
    var otherCount = 0
  }

  static func += (outcome: inout Self, other: Self) {
    outcome.hasFailed = outcome.hasFailed || other.hasFailed
    outcome.hasFinding = outcome.hasFinding || other.hasFinding
    outcome.readCount += other.readCount
    outcome.shownCount += other.shownCount
    outcome.folders.merge(other.folders) {
      Folder(readCount: $0.readCount + $1.readCount, otherCount: $0.otherCount + $1.otherCount)
    }
  }
}

#endif
