import Rebind
import TestSupport

/// An image's headers show the linker's options.
@Suite(.measured) struct HardeningTests {
  @Test(arguments: [
    (["-Wl,-z,norelro", "-Wl,-z,lazy"], Hardening.Relro.none, false),
    (["-Wl,-z,relro", "-Wl,-z,lazy"], .partial, false),
    (["-Wl,-z,relro", "-Wl,-z,now"], .full, true),
    (["-Wl,-z,norelro", "-Wl,-z,now"], .none, true),
  ])
  func relroAndBindNow(flags: [String], relro: Hardening.Relro, bindsNow: Bool) throws {
    let plugin = try Plugin(flags: flags, name: "libhard-\(relro)-\(bindsNow).so")
    let library = try OpenLibrary(plugin.path)
    defer { library.close() }
    let hardening = try #require(try Image.named(plugin.path)).hardening
    #expect(hardening.relro == relro && hardening.bindsNow == bindsNow)
    #expect(hardening.hasNonExecutableStack && !hardening.hasWritableCode)
    #expect(!hardening.isPositionIndependentExecutable && !hardening.hasSearchPath)
    #expect(hardening.description.hasPrefix("relro \(relro), "))
  }

  @Test func programIsPositionIndependent() throws {
    let hardening = try Image.main.hardening
    #expect(hardening.isPositionIndependentExecutable && !hardening.hasTextRelocations)
    // libc has an interpreter, and is no program.
    let libc = try #require(try Image.named("libc.so.6"))
    #expect(!libc.hardening.isPositionIndependentExecutable)
  }

  /// The kernel's image asks for no stack, executable or not.
  @Test func vdsoDoesNotMakeTheStackExecutable() throws {
    guard let vdso = try Image.all.first(where: { $0.role == .vdso }) else { return }
    #expect(!vdso.segments.contains { $0.type == .stack })
    #expect(vdso.hardening.description.contains("NX stack"))
  }

  /// From values, as of a file.
  @Test func weaknessesAreNamed() {
    let stack = Segment(
      type: .stack, permissions: [.read, .write, .execute], fileOffset: 0, address: 0,
      fileSize: 0, memorySize: 0, alignment: 16)
    var code = stack
    code.type = .load
    let table = DynamicTable(entries: [
      .init(tag: .flags, value: DynamicFlags.textRelocations.rawValue),
      .init(tag: .runPath, value: 1, string: "/opt/lib:$ORIGIN"),
    ])
    let hardening = Hardening(type: .executable, segments: [stack, code], dynamicTable: table)
    #expect(
      hardening.description
        == "relro none, lazy binding, executable stack, text relocations, writable code, "
        + "search path")
    #expect(table.searchPath == ["/opt/lib", "$ORIGIN"])
    let unmarked = Hardening(type: .executable, segments: [], dynamicTable: DynamicTable())
    #expect(!unmarked.hasNonExecutableStack)
  }
}
