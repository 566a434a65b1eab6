import CRebind
import Rebind
import RebindTesting
import TestSupport

/// The slots are changed for the first scope, and stay.
@Suite(.measured) struct RestoreTests {
  @Test func slotsStay() async {
    await #expect(processExitsWith: .success) {
      let before = slots(of: "getppid")
      let parent = getppid()
      try #require(!before.isEmpty)
      try withRebinding("getppid", { _ -> pid_t in 7 }) {}
      let changed = slots(of: "getppid")
      try #require(changed.allSatisfy { before[$0.key] != $0.value })
      try #require(getppid() == parent)
      try withFailing("getppid") {
        try #require(slots(of: "getppid") == changed && getppid() == -1)
      }
      #expect(throws: CancellationError.self) {
        try withFailing("getppid", mayNotStrike: true) { throw CancellationError() }
      }
      try #require(slots(of: "getppid") == changed && getppid() == parent)
    }
  }

  /// Somebody else takes the slots between two scopes.
  @Test func takenSlotsAreTakenBack() async {
    await #expect(processExitsWith: .success) {
      let before = slots(of: "getppid")
      try withFailing("getppid") { try #require(getppid() == -1) }
      for (slot, word) in before {
        let page = UnsafeMutableRawPointer(bitPattern: slot & ~4095)
        try #require(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0)
        UnsafeMutablePointer<UInt>(bitPattern: slot)?.pointee = word
      }
      try withFailing("getppid") { try #require(getppid() == -1) }
    }
  }

  /// A rebinding of the program's own lies on the slots. A scope that begins then is above it, whether there was
  /// one before or not.
  @Test func scopesAboveAnotherRebinding() async {
    await #expect(processExitsWith: .success) {
      let own = Rebinding<@convention(c) () -> pid_t>("getppid")
      for _ in 0..<3 {
        try own.apply { 4711 }
        try withFailing("getppid") { try #require(getppid() == -1) }
        try #require(getppid() == 4711)
        try withFailing("getppid") { try #require(getppid() == -1) }
        _ = try own.restore()
        try withFailing("getppid") { try #require(getppid() == -1) }
        try #require(getppid() != 4711 && getppid() > 0)
      }
    }
  }

  /// An image that comes between two scopes is judged, too.
  @Test func imagesBetweenScopes() async {
    await #expect(processExitsWith: .success) {
      let first = try TypedCalls.load(RTLD_NOW | RTLD_LOCAL)
      let call = unsafeBitCast(
        try #require(dlsym(UnsafeMutableRawPointer(bitPattern: first), "call_small")),
        to: TypedCalls.Int32Caller.self)
      try withFailing("small", returning: .value(Int8(1))) { try #require(call() == 1) }
      _ = try TypedCalls.load(RTLD_NOW | RTLD_LOCAL)
      let error = try #require(throws: RebindTestingError.self) {
        try withFailing("small", returning: .value(Int8(1))) {}
      }
      try #require(error.code == .severalOriginals && call() == -3)
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
