import Glibc
import Rebind
import TestSupport
import Testing

private enum Hooks {
  static let parent = Rebinding<@convention(c) () -> pid_t>("getppid")
}

/// Who else has hooked this process?
@Suite(.measured) struct AuditTests {
  @Test func cleanProcessHasNoFindings() async {
    await #expect(processExitsWith: .success) {
      let findings = try Image.audit()
      try #require(findings.isEmpty, "\(findings)")
    }
  }

  @Test func tellsOursFromForeign() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(flags: ["-Wl,-z,now"], name: "libaudited.so")
      _ = try OpenLibrary(plugin.path)
      let image = try #require(try Image.named(plugin.path))
      let slot = try #require(try image.slots().first { $0.symbol == "getppid" })
      try Hooks.parent.apply { 1 }
      let ours = try Image.audit()
      try #require(!ours.isEmpty && ours.allSatisfy { $0.reboundBy == .us })
      try #require(ours.contains { $0.image == image && $0.address == slot.address })
      _ = try Hooks.parent.restore()
      try #require(Image.audit().isEmpty)

      patch(image.loadBias + slot.address, address(of: getpid))
      let findings = try Image.audit()
      let finding = try #require(findings.first)
      try #require(findings.count == 1 && finding.image == image)
      try #require(finding.symbol == "getppid" && finding.version?.hasPrefix("GLIBC_") == true)
      try #require(finding.address == slot.address && finding.kind == slot.kind)
      try #require(finding.target.symbol == "getpid" && finding.target.offset == 0)
      try #require(finding.expected == UInt64(address(of: getppid)))
      try #require(finding.reboundBy == .someoneElse)
      try #require(
        finding.description.hasSuffix("→ getpid in libc.so.6, rebound by someone else"))
    }
  }
}
