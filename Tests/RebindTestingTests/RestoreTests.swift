import CRebind
import RebindTesting
import TestSupport

/// The slots are changed for the first scope, and as before after the last.
@Suite(.measured) struct RestoreTests {
  @Test func slotsAreAsBefore() async {
    await #expect(processExitsWith: .success) {
      let before = slots(of: "getppid")
      try #require(!before.isEmpty)
      try withRebinding("getppid", { _ -> pid_t in 7 }) {
        let changed = slots(of: "getppid")
        try #require(changed.allSatisfy { before[$0.key] != $0.value })
        try withFailing("getppid") { try #require(slots(of: "getppid") == changed) }
        try #require(slots(of: "getppid") == changed)
      }
      try #require(slots(of: "getppid") == before)
      #expect(throws: CancellationError.self) {
        try withFailing("getppid") { throw CancellationError() }
      }
      try #require(slots(of: "getppid") == before)
    }
  }
}

/// By address, what the slots of a symbol hold.
private func slots(of symbol: String) -> [UInt: UInt] {
  var slots: [UInt: UInt] = [:]
  symbol.withCString { name in
    var rebinding = crebind_rebinding()
    rebinding.name = name
    // Nothing is changed; there only has to be a replacement.
    rebinding.replacement = UnsafeMutableRawPointer(mutating: name)
    withUnsafeMutablePointer(to: &slots) { slots in
      _ = crebind_plan(
        &rebinding, 1, nil,
        { slot, slots in
          slots!.assumingMemoryBound(to: [UInt: UInt].self)
            .pointee[UInt(slot.pointee.address)] = UInt(slot.pointee.current)
        }, slots, nil)
    }
  }
  return slots
}
