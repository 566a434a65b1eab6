import CRebind
import TestSupport

@testable import Rebind

/// An error says what failed, where and why, and what to do.
@Suite(.measured) struct RebindErrorTests {
  @Test(arguments: [
    (
      RebindError(code: .staticExecutable, symbol: "open"),
      "cannot rebind open: ", "; link the program dynamically"
    ),
    (
      RebindError(code: .brokenImage, symbol: "open", image: "/lib/x.so", tag: 6),
      "cannot rebind open in /lib/x.so: ", "(tag SYMTAB); leave the image out of the scope"
    ),
    (
      RebindError(
        code: .protection, symbol: "open", image: "/lib/x.so", systemError: EACCES, address: 16),
      "cannot rebind open in /lib/x.so: ",
      "(address 0x10, Permission denied); a security policy may forbid it, or leave the image "
        + "out of the scope"
    ),
    (
      RebindError(code: .noSuchImage, image: "/lib/x.so"),
      "cannot look at /lib/x.so: ", "; look it up again with Image.all"
    ),
    (RebindError(code: .busy), "cannot look at the images: ", "; try again"),
    (
      RebindError(code: .duplicateName, symbol: "open"),
      "cannot rebind open: ", "; leave one of them out"
    ),
    (
      RebindError(code: .notActive, symbol: "open"), "open is not rebound: ", "apply it first"
    ),
    (
      RebindError(code: .undefined, symbol: "open"), "cannot rebind open: ",
      " (mayComeLater: true applies it nevertheless)"
    ),
    (
      RebindError(code: .otherConvention, symbol: "swift_retain"), "cannot rebind swift_retain: ",
      "; count its calls with RebindCounting"
    ),
    (
      RebindError(code: .emptyName), "cannot rebind: the name is empty",
      "; give the name that images import"
    ),
  ])
  func describesItself(error: RebindError, start: String, end: String) {
    #expect(error.description.hasPrefix(start))
    #expect(error.description.hasSuffix(end))
    #expect(!error.description.contains("\n"))
  }

  /// On AArch64 alone Swift counts references by a convention of its own.
  @Test func referenceCountingIsRefusedOnAArch64() {
    let names = [
      "swift_retain", "swift_release", "swift_retain_n", "swift_bridgeObjectRelease",
      "swift_nonatomic_bridgeObjectRetain_n", "swift_unknownObjectRetain", "swift_release@V1",
    ]
    for name in names {
      let error = #expect(throws: RebindError.self) {
        try refuseConvention(of: ["open", name], on: .aarch64)
      }
      #expect(error?.code == .otherConvention && error?.symbol == name)
      #expect(throws: Never.self) { try refuseConvention(of: [name], on: .amd64) }
    }
    #expect(throws: Never.self) {
      try refuseConvention(of: ["swift_allocObject", "retain", "swift_retainCount"], on: .aarch64)
    }
  }

  @Test func codesPrintTheirNames() {
    #expect("\(RebindError.Code.staticExecutable)" == "staticExecutable")
    #expect("\(RebindError(code: .busy).code)" == "busy")
    #expect("\(SectionError.Code.noSection)" == "noSection")
    #expect("\(SectionError.Code(rawValue: "later"))" == "later")
  }

  /// Each status of the core has a code, and its error has the core's sentence.
  @Test func statusesHaveCodes() {
    let statuses = (1...CREBIND_EMPTY_NAME.rawValue).map { crebind_status($0) }
    let codes = statuses.map { RebindError.Code($0) }
    #expect(Set(codes).count == statuses.count)
    #expect(codes.allSatisfy { !$0.rawValue.hasPrefix("status ") })
    #expect(
      codes.map { RebindError(code: $0).reason }
        == statuses.map { String(cString: crebind_status_description($0)) })
    #expect(RebindError.Code(CREBIND_COVERED) == .covered)
    #expect(RebindError.Code(crebind_status(4711)).rawValue == "status 4711")
    #expect(RebindError(code: .init(crebind_status(4711))).reason == "unknown status")
  }
}
