import Rebind
import Synchronization
import TestSupport

private typealias GetNumber = @convention(c) () -> pid_t

private enum Hooks {
  static let parent = Rebinding<GetNumber>("getppid")
  static let group = Rebinding<GetNumber>("getpgrp")
  static let user = Rebinding<@convention(c) () -> uid_t>("getuid")
  static let own = Rebinding<GetNumber>("own")
}

/// Several rebindings as one transaction, and the token that ends it.
@Suite(.measured) struct RebindingBatchTests {
  @Test func appliesAndRestoresAll() async {
    await #expect(processExitsWith: .success) {
      let (parent, group) = (getppid(), getpgrp())
      let batch = RebindingBatch {
        Hooks.parent.replaced { Hooks.parent.original() + 1 }
        Hooks.group.replaced { Hooks.group.original() + 2 }
        if parent < 0 { Hooks.user.replaced { 7 } }
        for _ in 0..<0 { Hooks.user.replaced { 8 } }
      }
      try #require(batch.description == "batch of getppid, getpgrp")
      let plan = try batch.plan()
      try #require(Set(plan.map(\.symbol)) == ["getppid", "getpgrp"])
      try #require(plan.allSatisfy { !$0.isRebound } && getppid() == parent)
      let active = try batch.apply()
      try #require(active.report.changedSlots == plan.count)
      try #require(getppid() == parent + 1 && getpgrp() == group + 2)
      try #require(Hooks.parent.isActive && Hooks.group.isActive)
      let slots = try active.slots()
      try #require(slots.count == plan.count && slots.allSatisfy(\.isRebound))
      try #require(Set(slots.map(\.address)) == Set(plan.map(\.address)))
      let verified = try active.verify()
      try #require(verified.changedSlots == 0 && verified.unchangedSlots >= plan.count)
      let restored = try active.restore()
      try #require(restored.changedSlots == plan.count)
      try #require(getppid() == parent && getpgrp() == group && !Hooks.parent.isActive)
    }
  }

  /// The owner goes while somebody else's hook lies on top: a later call restores the rest.
  @Test func endsBelowAnotherHook() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      let (place, ours) = try {
        let active = try RebindingBatch { Hooks.parent.replaced { 1 } }.apply()
        let slot = try #require(try active.slots().first { $0.kind != .absolute })
        let place = slot.image.loadBias + slot.address
        patch(place, address(of: getpgrp))
        return (place, UInt(slot.replacement))
      }()
      try #require(Hooks.parent.isActive == true)
      patch(place, ours)
      try Image.refresh()
      try #require(getppid() == parent && !Hooks.parent.isActive)
    }
  }

  @Test func endsWithItsScope() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      do {
        let active = try RebindingBatch { Hooks.parent.replaced { 1 } }.apply()
        try #require(getppid() == 1 && active.report.changedSlots > 0)
      }
      try #require(getppid() == parent && !Hooks.parent.isActive)
      // An owner keeps it for longer.
      final class Owner {
        let active: ActiveRebindings
        init() throws { active = try RebindingBatch { Hooks.parent.replaced { 2 } }.apply() }
      }
      var owner: Owner? = try Owner()
      try #require(getppid() == 2 && owner != nil)
      owner = nil
      try #require(getppid() == parent)
      try RebindingBatch { Hooks.parent.replaced { 3 } }.apply().leaveApplied()
      try #require(getppid() == 3 && Hooks.parent.isActive)
    }
  }

  /// Nothing is applied if one of them cannot be.
  @Test func isAllOrNothing() async {
    await #expect(processExitsWith: .success) {
      let (parent, user) = (getppid(), getuid())
      try Hooks.user.apply { 7 }
      let error = #expect(throws: RebindError.self) {
        try RebindingBatch {
          Hooks.parent.replaced { 1 }
          Hooks.user.replaced { 8 }
        }.apply().leaveApplied()
      }
      try #require(error?.code == .alreadyActive && error?.symbol == "getuid")
      try #require(getppid() == parent && getuid() == 7 && !Hooks.parent.isActive)
      _ = try Hooks.user.restore()
      try #require(getuid() == user)

      let second = Rebinding<GetNumber>("getppid")
      for twice in [Hooks.parent.replaced { 2 }, second.replaced { 2 }] {
        let error = #expect(throws: RebindError.self) {
          try RebindingBatch {
            Hooks.user.replaced { 8 }
            Hooks.parent.replaced { 1 }
            twice
          }.apply().leaveApplied()
        }
        try #require(error?.code == .duplicateName && error?.symbol == "getppid")
      }
      let empty = #expect(throws: RebindError.self) {
        try RebindingBatch([]).apply().leaveApplied()
      }
      try #require(empty?.code == .invalidArgument)
      // None of them is kept from being applied.
      try RebindingBatch {
        Hooks.user.replaced { 8 }
        Hooks.parent.replaced { 1 }
      }.apply().leaveApplied()
      try #require(getuid() == 8 && getppid() == 1)
    }
  }

  @Test func rebindsWhatIsImported() async {
    await #expect(processExitsWith: .success) {
      let (parent, group) = (getppid(), getpgrp())
      let asked = Mutex<[Import]>([])
      let batch = RebindingBatch.imports { function in
        asked.withLock { $0.append(function) }
        switch function.name {
        case "getppid": return Hooks.parent.replaced { Hooks.parent.original() + 1 }
        case "getpgrp": return Hooks.group.replaced { Hooks.group.original() + 2 }
        default: return nil
        }
      }
      try #require(batch.description == "batch of imports")
      let plan = try batch.plan()
      try #require(Set(plan.map(\.symbol)) == ["getppid", "getpgrp"])
      try #require(getppid() == parent && !Hooks.parent.isActive)
      asked.withLock { $0 = [] }
      let active = try batch.apply()
      try #require(active.report.changedSlots == plan.count)
      try #require(getppid() == parent + 1 && getpgrp() == group + 2)
      try #require(Hooks.parent.isActive && Hooks.group.isActive)
      let imports = asked.withLock { $0 }
      try #require(Set(imports).count == imports.count && imports.count > 100)
      let one = try #require(imports.first { $0.name == "getppid" })
      try #require(one.isFunction && one.definer.name == "libc.so.6" && one.version != nil)
      try #require(one.description == "getppid@\(one.version!) of libc.so.6")
      try #require(imports.contains { !$0.isFunction })
      try #require(Set(try active.slots().map(\.address)) == Set(plan.map(\.address)))
      try #require(try active.verify().unchangedSlots >= plan.count)
      // It is applied once only.
      let again = #expect(throws: RebindError.self) { try batch.apply().leaveApplied() }
      try #require(again?.code == .alreadyActive && again?.symbol.isEmpty == false)
      try #require(getppid() == parent + 1)
      try #require(try active.restore().changedSlots == plan.count)
      try #require(getppid() == parent && getpgrp() == group && !Hooks.parent.isActive)
    }
  }

  /// Each time a plug-in comes back, its definition is another one, and the same rebinding takes it.
  @Test func importsOfPluginsThatComeBack() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(
        flags: ["-DPLUGIN", "-DNUMBER=1"], name: "libown.so", source: "imports-beside.c")
      let asked = Mutex(0)
      let active = try RebindingBatch.imports { function in
        guard function.name == "own" else { return nil }
        asked.withLock { $0 += 1 }
        return Hooks.own.replaced { Hooks.own.original() + 1 }
      }.apply(mayComeLater: true)
      for times in 1...3 {
        let library = try OpenLibrary(plugin.path)
        try #require(asked.withLock { $0 } == times)
        try #require(try library.function("call_own")() == 2)
        library.close()
      }
      _ = try active.restore()
      let library = try OpenLibrary(plugin.path)
      try #require(try library.function("call_own")() == 1 && asked.withLock { $0 } == 3)
      try #require(Hooks.own.isActive == false)
    }
  }

  @Test func importsThatCannotBeRebound() async {
    await #expect(processExitsWith: .success) {
      let parent = getppid()
      // One rebinding has one original.
      let error = #expect(throws: RebindError.self) {
        try RebindingBatch.imports { function in
          function.isFunction ? Hooks.parent.replaced { 1 } : nil
        }.apply(in: .main).leaveApplied()
      }
      try #require(error?.code == .duplicateName)
      try #require(getppid() == parent && !Hooks.parent.isActive)
      let none = #expect(throws: RebindError.self) {
        try RebindingBatch.imports { _ in nil }.apply().leaveApplied()
      }
      try #require(none?.code == .unreached)
      let text = try #require(none?.description)
      try #require(
        text.hasPrefix("none of the ") && text.hasSuffix(" import was chosen"), "\(text)")
      try RebindingBatch.imports { _ in nil }.apply(mayComeLater: true).leaveApplied()
      var both = RebindingBatch.imports { _ in nil }
      both.replacements = [Hooks.user.replaced { 7 }]
      let mixed = #expect(throws: RebindError.self) { try both.apply().leaveApplied() }
      try #require(mixed?.code == .invalidArgument && mixed?.symbol == "batch of imports")
      try #require(try Hooks.parent.apply { 3 }.changedSlots > 0 && getppid() == 3)
    }
  }

  @Test func membersAreRestoredTogether() async {
    await #expect(processExitsWith: .success) {
      let active = try RebindingBatch { Hooks.parent.replaced { 1 } }.apply()
      for call in [{ try Hooks.parent.restore() }, { try Hooks.parent.verify() }] {
        let error = #expect(throws: RebindError.self) { _ = try call() }
        try #require(error?.code == .partOfBatch)
        try #require(error?.description.contains("ActiveRebindings") == true)
      }
      let error = #expect(throws: RebindError.self) { try Hooks.parent.apply { 2 } }
      try #require(error?.code == .alreadyActive && getppid() == 1)
      _ = try active.restore()
      let notActive = #expect(throws: RebindError.self) { try Hooks.parent.slots() }
      try #require(notActive?.code == .notActive)
    }
  }
}
