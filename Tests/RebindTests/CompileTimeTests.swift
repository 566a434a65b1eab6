import Foundation
import TestSupport
import Testing

/// What the compiler has to accept, and what to refuse.
@Suite struct CompileTimeTests {
  @Test func cFunctionTypeIsAccepted() throws {
    let result = try compileSwift(
      "import Rebind; let hook = Rebinding<@convention(c) (CInt) -> CInt>(\"close\")")
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }

  /// A Swift closure carries a context, which no caller in C would pass.
  @Test func swiftClosureTypeIsRefused() throws {
    let result = try compileSwift("import Rebind; let hook = Rebinding<(CInt) -> CInt>(\"close\")")
    #expect(!result.succeeded)
    #expect(result.errorOutput.contains("does not conform to protocol 'BitwiseCopyable'"))
  }

  /// In Swift 6 mode, version 6.3.1 of the compiler refuses it too, but by a
  /// crash of its SendNonSendable pass in place of the diagnostic.
  @Test(arguments: [5, 6])
  func capturingReplacementIsRefused(languageMode: Int) throws {
    let result = try compileSwift(
      """
      import Rebind
      let hook = Rebinding<@convention(c) (CInt) -> CInt>("close")
      func count(_ step: CInt) throws { try hook.apply { $0 + step } }
      """, languageMode: languageMode)
    #expect(!result.succeeded)
    guard languageMode == 5 else { return }
    #expect(
      result.errorOutput.contains("cannot be formed from a closure that captures context"))
  }
}
