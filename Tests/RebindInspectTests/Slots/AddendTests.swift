import TestSupport

#if arch(x86_64)
/// A process whose jump slots have addends that the loader ignores, as `ld -z mark-plt` writes them.
@Suite(.needsCommands, .measured) struct AddendTests {
  @Test(arguments: ["lazy", "now"])
  func aMarkedProcessIsClean(binding: String) throws {
    let builder = try FixtureBuilder(.gcc)
    let url = try builder.build(
      "program", from: ["inspect-process.c"], flags: ["-Wl,-z,\(binding)"])
    try markPLT(of: url)
    let process = try WaitingProcess(url, ["nothing"])
    defer { withExtendedLifetime((builder, process)) {} }
    let audit = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(audit.status == 0 && audit.output == "" && audit.errorOutput == "")
    let file = try #require(try report("slots", process).files.first)
    let slots = try #require(file.slots).filter { $0.kind == "jumpSlot" }
    #expect(!slots.isEmpty && slots.allSatisfy { $0.state != "rebound" })
    #expect(slots.contains { $0.state == "original" })
    // The relocation's addend is the one in the file.
    #expect(slots.allSatisfy { $0.addend ?? 0 > 0 })
    let inFile = try #require(try Report("slots", [url.path]).files.first?.slots)
    #expect(inFile.filter { $0.kind == "jumpSlot" }.map(\.addend) == slots.map(\.addend))
    #expect(slots.allSatisfy { $0.added == 0 })
  }

  /// The relocation's addend, and beside it the one that the file's loader adds: musl's adds any.
  @Test(arguments: ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"])
  func addendsOfAFile(loader: String) throws {
    let fixture = DependencyFixture()
    let path = try fixture.program(
      "program", "#include <unistd.h>\nint use(void) { return getppid(); }",
      flags: ["-Wl,--dynamic-linker=\(loader)"])
    try markPLT(of: URL(filePath: path))
    let slots = try #require(try Report("slots", ["--name", "getppid", path]).files.first?.slots)
    let slot = try #require(slots.first { $0.kind == "jumpSlot" })
    #expect(slot.addend ?? 0 > 0)
    #expect(slot.added == (loader.contains("musl") ? slot.addend : 0))
    let text = try inspect(["slots", "--kind", "jumpSlot", "--name", "getppid", path]).output
    let addend = "0x" + String(slot.addend ?? 0, radix: 16)
    #expect(text.contains(" \(addend) \(loader.contains("musl") ? addend : "0x0") getppid@"))

    let dynamic = try inspect(["dynamic", path]).output
    #expect(dynamic.contains("\nX86_64_PLT 0x") && dynamic.contains("\nX86_64_PLTSZ 0x"))
    #expect(dynamic.contains("\nX86_64_PLTENT 0x10 16 bytes\n"))
    let why = try inspect(["why", "getppid", "--in", path]).output
    #expect(why.hasPrefix("has-slots - 1 "))
    #expect(why.contains("\nbypassed possible 1 ") == !loader.contains("musl"))
  }
}
#endif
