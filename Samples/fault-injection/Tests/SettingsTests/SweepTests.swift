import Foundation
import RebindTesting
import Settings
import Testing

/// Each call of a function fails in turn: nothing crashes, no file stays open or is closed
/// twice, and the settings are always the old ones or the new ones.
@Suite struct SweepTests {
  @Test(arguments: ["open", "read", "write", "fsync", "rename", "close"])
  func everyFault(function: String) throws {
    let file = TemporaryFile(contents: "colour=blue\n")
    let settings = SettingsFile(path: file.path)
    let report = try sweepFaults(in: function, errno: EIO) {
      try? settings.save(["colour": "red"])
      let colour = try settings.load()["colour"]
      precondition(colour == "blue" || colour == "red")
    }
    #expect(report.findings.isEmpty, "\(report)")
    #expect(report.isComplete && report.runs.count > 1)
  }

  /// A short count is no failure, so an error or a wrong result is a finding.
  @Test(arguments: ["read", "write"])
  func shortCounts(function: String) throws {
    let file = TemporaryFile(contents: "colour=blue\n")
    let settings = SettingsFile(path: file.path)
    let report = try sweepFaults(in: function, returning: .atMost(3)) {
      try settings.save(["colour": "red"])
      guard try settings.load() == ["colour": "red"] else { throw SystemError(EIO) }
    }
    #expect(report.findings.isEmpty, "\(report)")
    #expect(report.isComplete && report.runs.count > 1)
  }
}
