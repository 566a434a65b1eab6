import TestSupport

/// The output of each subcommand for small files of several machines, byte for byte.
///
/// `make golden` writes the output anew; then read the difference.
@Suite(.needsCommands, .measured) struct GoldenTests {
  static let folder = Places.package.appending(path: "Tests/RebindInspectTests/Golden/Inputs")
  static let inputs = [
    "x86-64.so", "headerless.so", "x86-64.o", "x86-64.a", "i386.so", "powerpc.so", "s390x.so",
    "aarch64.so",
  ]

  /// The commands for all inputs; the golden output has their words in its name.
  static let commands = [
    "symbols", "symbols --demangle --exports --name [_$op]*", "slots", "relocations", "dynamic",
    "segments", "sections", "section names --as pointers", "section .rodata --as strings",
    "notes", "annotations", "hardening", "tree --root .", "why provided_function --root . --in",
    "who-imports provided_*", "who-imports --defines object",
  ]

  /// Those that read no section headers.
  static let commandsWithoutHeaders = ["symbols", "relocations", "dynamic", "hardening"]

  @Test(arguments: commandsWithoutHeaders, ["text", "json"])
  func theSameWithoutSectionHeaders(command: String, format: String) throws {
    let whole = try run([command], format, ["x86-64.so"])
    let headerless = try run([command], format, ["headerless.so"])
    // The table is the same, by whichever way it is found.
    let output = headerless.output.replacing("headerless.so", with: "x86-64.so")
      .replacing(#""symbolSource":"DT_HASH""#, with: #""symbolSource":"SHT_DYNSYM""#)
    #expect(whole.succeeded && output == whole.output && headerless.errorOutput.isEmpty)
  }

  /// The commands for two of them.
  static let pairs = [
    ["x86-64.so", "headerless.so"], ["x86-64.so", "aarch64.so"], ["i386.so", "powerpc.so"],
  ]

  @Test(arguments: commands, ["text", "json"])
  func output(command: String, format: String) throws {
    let words = command.split(separator: " ").map(String.init)
    let inputs = Self.inputs.filter {
      $0 != "headerless.so" || !Self.commandsWithoutHeaders.contains(command)
    }
    let result = try run(words, format, inputs)
    let name = words.map { $0.filter { $0.isLetter } }.filter { !$0.isEmpty }
    try compare(result, name.joined(separator: "-"), format)
  }

  @Test(arguments: pairs, ["text", "json"])
  func difference(pair: [String], format: String) throws {
    let name = pair.map { $0.split(separator: ".")[0] }.joined(separator: "-")
    try compare(run(["diff"], format, pair), "diff-\(name)", format)
  }

  /// Names stand for values that differ from machine to machine: addresses, folders and the like.
  @Test(arguments: ["images", "audit", "slots"], ["text", "json"])
  func process(command: String, format: String) throws {
    let program = try LookedAtProgram(
      flags: command == "images" ? ["-static", "-Wl,--build-id"] : ["-Wl,-z,now"])
    let process = try program.started("patched")
    let options = command == "slots" ? ["--state", "rebound"] : []
    var result = try run([command], format, options + ["--pid", "\(process.id)"])
    let folder = program.url.deletingLastPathComponent().path
    result.standardOutput = Data(
      result.output.replacing(folder, with: "").replacing(/0x[0-9a-f]{4,}/, with: "0x…")
        .replacing(/\b[0-9a-f]{40}\b/, with: "BUILD-ID")
        .replacing(/GLIBC_[0-9.]+/, with: "GLIBC")
        .replacing(/R_[A-Z0-9_]+/, with: "R_…")
        .replacing(/"relocationValue":\d+/, with: #""relocationValue":…"#)
        .replacing(/\/[^ "]*\/libc\.so\.6/, with: "libc.so.6")
        .replacing(/"machine":"[^"]*","machineValue":\d+/, with: #""machine":"…""#)
        .replacing("\"pid\":\(process.id)", with: "\"pid\":…").utf8)
    try compare(result, "\(command)-of-process", format)
  }

  private func run(
    _ words: [String], _ format: String, _ arguments: [String]
  ) throws -> ProcessResult {
    try TestSupport.run(
      inspectPath, words.prefix(1) + ["--format", format] + words.dropFirst() + arguments,
      currentDirectory: Self.folder)
  }

  /// Compares output with the golden one, or writes that.
  private func compare(_ result: ProcessResult, _ name: String, _ format: String) throws {
    // Below another root, folders have their paths.
    let output = (result.output + result.errorOutput).replacing(Self.folder.path, with: "")
    let golden = Self.folder.deletingLastPathComponent()
      .appending(path: "\(name).\(format == "text" ? "txt" : "json")")
    if ProcessInfo.processInfo.environment["REBIND_GOLDEN"] == "write" {
      try Data(output.utf8).write(to: golden)
    }
    let expected = try String(contentsOf: golden, encoding: .utf8)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    let expectedLines = expected.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == expectedLines.count)
    for (line, expected) in zip(lines, expectedLines) where line != expected {
      // One is enough: the rest are likely to differ in the same way.
      #expect(line == expected)
      break
    }
  }
}
