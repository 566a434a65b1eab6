import Foundation
import RebindTesting
import Settings
import XCTest

/// The same with XCTest: one fault for all tests of the class.
final class UnreadableFileTests: XCTestCase {
  private let settings = SettingsFile(
    path: #filePath.replacing("UnreadableFileTests.swift", with: "example.settings"))

  override func invokeTest() {
    do {
      try withFailing("open", errno: EACCES, when: .argument(0, is: settings.path)) { fault in
        super.invokeTest()
        XCTAssertNil(fault.shortfall)
      }
    } catch {
      XCTFail("\(error)")
    }
  }

  func testLoading() {
    XCTAssertThrowsError(try settings.load()) {
      XCTAssertEqual($0 as? SystemError, SystemError(EACCES))
    }
  }
}
