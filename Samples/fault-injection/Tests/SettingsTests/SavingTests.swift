import Foundation
import RebindTesting
import Settings
import Testing

@Suite struct SavingTests {
  private let file = TemporaryFile(contents: "colour=blue\n")
  private var settings: SettingsFile { SettingsFile(path: file.path) }

  @Test func fullDisk() throws {
    try withFailing("write", errno: ENOSPC) {
      #expect(throws: SystemError(ENOSPC)) { try settings.save(["colour": "red"]) }
    }
    #expect(try settings.load() == ["colour": "blue"])
    #expect(access(file.path + ".new", F_OK) == -1)
  }

  /// The file is closed, and that it could not be written comes out then.
  @Test func fullDiskWhenClosing() throws {
    try withRebinding(
      "close",
      { (original, file: CInt) -> CInt in
        _ = original(file)
        errno = EDQUOT
        return -1
      }
    ) {
      #expect(throws: SystemError(EDQUOT)) { try settings.save(["colour": "red"]) }
    }
    #expect(try settings.load() == ["colour": "blue"])
  }

  @Test func shortWrites() throws {
    try withFailing("write", returning: .atMost(1)) {
      try settings.save(["colour": "red"])
    }
    #expect(try settings.load() == ["colour": "red"])
  }
}
