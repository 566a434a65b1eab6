import TestSupport

/// A preloaded library counts the same, call for call, in the same run.
@Suite(.measured, .notInCheck) struct WitnessTests {
  @Test(arguments: ["-Onone", "-O"])
  func fourPrograms(optimisation: String) throws {
    let builder = try FixtureBuilder(.gcc)
    let library = try builder.build(
      "preload.so", from: ["counting-preload.c"], flags: ["-O1", "-shared", "-fPIC"],
      withCore: false)
    let source = try String(
      contentsOf: Places.fixture("counting-witness.swift"), encoding: .utf8)
    let program = try RebindProgram(source, modules: countingModules, flags: [optimisation])
    let result = try TestSupport.run(program.path, environment: ["LD_PRELOAD": library.path])
    #expect(result.succeeded, "\(result.errorOutput)")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ") }
    try #require(lines.count == 56)
    for line in lines { #expect(line.count == 3 && line[1] == line[2], "\(line)") }
    // Each program does something.
    #expect(lines.filter { $0.first == "malloc" && $0.last != "0" }.count >= 3)
    #expect(lines.filter { $0.first == "mmap" && $0.last == "1" }.count == 1)
    #expect(lines.contains { $0.first == "swift_release" && $0.last != "0" })
  }
}
