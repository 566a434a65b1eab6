import Rebind
import TestSupport

private typealias GetParent = @convention(c) () -> pid_t

private enum Hooks {
  static let getParent = Rebinding<GetParent>("getppid")
}

/// Slots, beside what readelf says of the file and the loader of the addresses. Tests that look at
/// a function's slots run in a child process: other suites rebind in this one.
@Suite(.measured) struct SlotTests {
  @Test(arguments: [["-Wl,-z,lazy"], ["-Wl,-z,now"]])
  func areThoseOfTheFile(flags: [String]) throws {
    let plugin = try Plugin(flags: flags, name: "libslots-\(flags[0].suffix(3)).so")
    let library = try OpenLibrary(plugin.path)
    defer { library.close() }
    let image = try #require(try Image.named(plugin.path))
    // "000000004008  0000000300000007 R_X86_64_JUMP_SLOT 0000000000000000 getppid@GLIBC_2.2.5 + 0"
    let rows = try lines(of: "readelf", ["--relocs", "--wide", plugin.path]).map { words($0) }
      .filter { row in
        row.count == 7
          && ["_JUMP_SLOT", "_GLOB_DAT", "_X86_64_64", "_ABS64"].contains { row[2].hasSuffix($0) }
      }
    let slots = try image.slots()
    try #require(rows.count == slots.count)
    for (row, slot) in zip(rows, slots) {
      #expect(number(row[0]) == slot.address && row[2] == slot.relocation.name)
      #expect(row[4] == (slot.version.map { "\(slot.symbol)@\($0)" } ?? slot.symbol))
      #expect(row[5] == "+" && slot.addend.map(UInt64.init) == number(row[6]))
    }
    #expect(Set(slots.map(\.kind)) == [.jumpSlot, .globDat, .absolute])
  }

  @Test func targetsAreWhereTheLoaderBindsThem() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libslot-targets.so")
      let library = try OpenLibrary(plugin.path)
      defer { library.close() }
      let image = try #require(try Image.named(plugin.path))
      func slot(_ symbol: String) throws -> Slot {
        try #require(try image.slots().first { $0.symbol == symbol })
      }

      let pointer = try slot("getpid")
      #expect(pointer.kind == .absolute && pointer.addend == 3 && !pointer.isRelro)
      let target = try #require(pointer.state.target)
      #expect(target.address == UInt64(address(of: getpid)) && target.symbol == "getpid")
      #expect(target.image == (try Image.named("libc.so.6")) && target.offset == 0)
      #expect(pointer.state.word == target.address + 3 && pointer.state.reboundBy == .nobody)

      let data = try slot("environ")
      #expect(data.kind == .globDat && data.isRelro && data.state.target?.symbol == "environ")
      let missing = try slot("rebind_missing")
      #expect(missing.state.word == 0 && missing.state.target == nil)
      #expect(missing.description.hasSuffix("globDat rebind_missing → NULL"))

      let call = try slot("getppid")
      #expect(call.kind == .jumpSlot && call.state.isLazilyUnresolved == true)
      #expect(call.state.target == nil)
      #expect(call.description.hasSuffix(" → the loader's resolver"))
      #expect(image.contains(call.state.word))
      #expect(try library.function("plugin_parent")() == getppid())
      let bound = try slot("getppid")
      #expect(bound.state.isLazilyUnresolved == false && bound.state.target?.symbol == "getppid")
      #expect(bound.state.word == UInt64(address(of: getppid)))
      #expect(bound.description.hasSuffix(" → getppid in libc.so.6"))
    }
  }

  /// Neither glibc nor musl reads relocations that are packed for Android.
  @Test func namesImagesWhoseRelocationsArePacked() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(
        flags: ["-fuse-ld=lld", "-nostartfiles", "-Wl,--pack-dyn-relocs=android"],
        name: "libpacked.so", source: "packed-library.c")
      let library = try OpenLibrary(plugin.path)
      defer { library.close() }
      let image = try #require(try Image.named("libpacked.so"))
      try #require(image.hasPackedRelocations)
      try #require(try !Image.all.contains { $0 != image && $0.hasPackedRelocations })
      // The call's alone.
      try #require(try image.slots().filter { $0.symbol == "getppid" }.count == 1)
      let report = try Hooks.getParent.apply(in: .images([image])) { 1 }
      try #require(report.packedImages == 1 && report.changedSlots == 1)
      try #require(
        report.description.hasSuffix(", 1 image with relocations packed for Android left alone"))
      let named = try Hooks.getParent.diagnose(in: .images([image])).filter {
        $0.detail == "packed"
      }
      try #require(named.map(\.image) == [image] && named[0].reason == .unchangeable)
      _ = try Hooks.getParent.restore()
    }
  }

  /// The target of a symbol with an IFUNC is what the resolver has chosen.
  @Test func everySlotOfEveryImageLeadsSomewhere() async {
    await #expect(processExitsWith: .success) {
      for image in try Image.all where image.role == .program || image.soname == "libc.so.6" {
        let slots = try image.slots()
        #expect(!slots.isEmpty)
        for slot in slots {
          guard let target = slot.state.target, let info = LoaderInfo(target.address) else {
            continue
          }
          #expect(target.image?.header == info.base)
          #expect(slot.state.reboundBy == .nobody, "\(slot)")
        }
      }
    }
  }

  @Test func sayWhoHasReboundThem() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libslot-rebinders.so")
      let library = try OpenLibrary(plugin.path)
      let image = try #require(try Image.named(plugin.path))
      func slot() throws -> Slot {
        try #require(try image.slots().first { $0.symbol == "getppid" })
      }
      try Hooks.getParent.apply { 1 }
      try #require(library.function("plugin_parent")() == 1)
      let ours = try slot()
      try #require(ours.state.reboundBy == .us && ours.state.isLazilyUnresolved == false)
      let main = try Image.main
      try #require(ours.state.target?.image == main)
      try #require(ours.description.hasSuffix(", rebound by us"))
      // Redirected where it is defined, and shown as it is without us.
      let libc = try #require(try Image.named("libc.so.6"))
      let symbol = try #require(try libc.symbols(named: "getppid").first)
      let original = try Target.lookup("getppid")
      try #require(libc.loadBias + symbol.value == original?.address)
      _ = try Hooks.getParent.restore()
      try #require(slot().state.reboundBy == .nobody)

      patch(image.loadBias + ours.address, address(of: getpid))
      let foreign = try slot()
      try #require(foreign.state.reboundBy == .someoneElse)
      try #require(foreign.state.target?.symbol == "getpid")
      try #require(foreign.description.hasSuffix("→ getpid in libc.so.6, rebound by someone else"))

      // Data is the program's to assign.
      let pointer = try #require(try image.slots().first { $0.symbol == "getpid" })
      patch(image.loadBias + pointer.address, address(of: getppid) + 3)
      try #require(image.slots().first { $0.symbol == "getpid" }?.state.reboundBy == .nobody)
    }
  }

  @Test func kindsAndRelocationsHaveNames() {
    #expect(SlotKinds.all.description == "jumpSlot globDat absolute")
    #expect(RelocationType(machine: .aarch64, rawValue: 1026).description == "R_AARCH64_JUMP_SLOT")
    #expect(RelocationType(machine: .amd64, rawValue: 99).description == "x86-64 relocation 99")
  }
}
