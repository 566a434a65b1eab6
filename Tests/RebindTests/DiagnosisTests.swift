import Glibc
import Rebind
import TestSupport
import Testing

private typealias GetNumber = @convention(c) () -> pid_t

/// Why nothing happened.
@Suite(.measured) struct DiagnosisTests {
  @Test func namesTheImagesThatAreReached() throws {
    let plugin = try Plugin(name: "libdiagnosed.so")
    let library = try OpenLibrary(plugin.path)
    defer { library.close() }
    let diagnoses = try Rebinding<GetNumber>("getppid").diagnose()
    let diagnosis = try #require(diagnoses.first { $0.image?.path == plugin.path })
    #expect(diagnosis.reason == .hasSlots && diagnosis.slotCount == 1)
    #expect(diagnosis.description.hasPrefix("getppid in libdiagnosed.so: "))
    #expect(diagnosis.description.hasSuffix(" (1)"))
    let inMain = try Rebinding<GetNumber>("getppid").diagnose(in: .main)
    #expect(inMain.first { $0.image?.path == plugin.path }?.reason == .notInScope)
  }

  @Test func saysWhyNothingHappens() throws {
    let missing = try Rebinding<GetNumber>("rebind_no_such_function").diagnose()
    #expect(missing.contains { $0.reason == .notDefined || $0.reason == .notImported })
    #expect(missing.allSatisfy { $0.image == nil || $0.reason != .hasSlots })
    let version = try Rebinding<GetNumber>("getppid", version: "GLIBC_9.9").diagnose()
    let other = try #require(version.first { $0.reason == .otherVersion })
    #expect(other.detail.hasPrefix("GLIBC_") && other.description.contains(other.detail))
  }
}
