import Foundation
import TestSupport
import Testing

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
  }
}
#endif
