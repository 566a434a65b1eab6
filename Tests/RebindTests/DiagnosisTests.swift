import Rebind
import Synchronization
import TestSupport

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
    #expect(!version.contains { $0.reason == .notImported })
    let absent = try Rebinding<GetNumber>("__gmon_start__").diagnose()
    let weak = try #require(absent.first { $0.reason == .unchangeable })
    // The sentence says so.
    #expect(weak.detail == "weak" && !weak.description.contains("weak"))
  }

  private enum Unheard {
    static let function = Rebinding<GetNumber>("rebind_no_such_function")
    static let asked = Mutex(0)
  }

  /// Another thread may use the rebinding meanwhile: if there was a lock, both would wait for ever.
  @Test func explanationHoldsNoLock() throws {
    let scope = RebindingScope.matching { image in
      guard image.role == .program,
        Unheard.asked.withLock({
          $0 += 1; return $0
        }) == 2
      else { return true }
      // The explanation asks.
      let done = DispatchSemaphore(value: 0)
      Thread {
        _ = try? Unheard.function.verify()
        done.signal()
      }.start()
      done.wait()
      return true
    }
    let error = #expect(throws: RebindError.self) { try Unheard.function.apply(in: scope) { 0 } }
    #expect(error?.code == .undefined && error?.explanation.isEmpty == false)
    #expect(Unheard.asked.withLock { $0 } >= 2)
  }
}
