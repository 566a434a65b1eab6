import Rebind
import RebindCounting
import TestSupport

private enum Hooks {
  static let allocate = Rebinding<@convention(c) (Int) -> UnsafeMutableRawPointer?>("malloc")
}

private func program() throws -> Image { try #require(try Image.all.first { $0.role == .program }) }

/// The slots of the program that allocations go through, with their words.
private func mallocSlots() throws -> [Slot] {
  free(malloc(1))  // binds them
  return try program().slots().filter { $0.symbol == "malloc" && $0.kind != .absolute }
}

/// How many of three blocks are counted. Called from the program, through its slot.
private func countedBlocks() throws -> Int? {
  try countingAllocations(of: .memory, reach: .thread) {
    for size in 1...3 { free(malloc(size)) }
  }.allocations
}

/// Slots lead to the counters between two scopes, too, so that entering one costs little.
@Suite(.measured) struct KeptSlotTests {
  @Test func slotsStayAsTheyAre() async {
    await #expect(processExitsWith: .success) {
      try #require(try mallocSlots().allSatisfy { $0.state.reboundBy == .nobody })
      try #require(try countedBlocks() == 3)
      let kept = try mallocSlots()
      try #require(!kept.isEmpty && kept.allSatisfy { $0.state.reboundBy == .us })
      try #require(try countedBlocks() == 3)
      try #require(try mallocSlots() == kept)
    }
  }

  /// Somebody who knows nothing of us takes a slot away.
  @Test func slotsThatWereTakenAreSetAnew() async {
    await #expect(processExitsWith: .success) {
      let before = try mallocSlots()
      try #require(try countedBlocks() == 3)
      for slot in before {
        let word = try #require(slot.state.target?.address)
        patch(try program().loadBias + slot.address, UInt(word))
      }
      try #require(try mallocSlots().allSatisfy { $0.state.reboundBy == .nobody })
      try #require(try countedBlocks() == 3)
      try #require(try mallocSlots().allSatisfy { $0.state.reboundBy == .us })
    }
  }

  /// A rebinding of ours on top passes calls on, and one below does too.
  @Test func rebindingsLieOnTop() async {
    await #expect(processExitsWith: .success) {
      try #require(try countedBlocks() == 3)
      _ = try Hooks.allocate.apply { Hooks.allocate.original($0) }
      try #require(try countedBlocks() == 3)
      _ = try Hooks.allocate.restore()
      try #require(try countedBlocks() == 3)
      _ = try Hooks.allocate.apply { Hooks.allocate.original($0) }
      try #require(try countedBlocks() == 3)
    }
  }
}
