import TestSupport

/// Damaged files: a right answer or an error, but no signal, no hang and no end of memory.
@Suite(.needsCommands, .measured, .notInCheck) struct FuzzTests {
  static let inputs = DamagedInputs.shared

  /// The output of `--format jsonl` for a file or for a member of an archive.
  private struct Outcome: Decodable {
    var path: String
    var error: File.Failure?

    var file: Substring { path.prefix { $0 != "(" } }
    /// Nil too where something has to be escaped.
    var line: String? {
      let line = error.map { "rebind-inspect: \(path): \($0.message)" }
      return line.flatMap { line in
        line.utf8.allSatisfy { (0x20..<0x7f).contains($0) && $0 != 0x5c } ? line : nil
      }
    }
  }

  @Test func noSubcommandIsLeftOut() throws {
    let all =
      Subcommands.ofFiles + Subcommands.ofSearches + Subcommands.ofPairs + Subcommands.ofProcesses
    #expect(try Set(all.map { $0[0] }) == Set(Subcommands.names()))
  }

  @Test(arguments: Subcommands.ofFiles)
  func files(command: [String]) throws {
    let inputs = try Self.inputs.get()
    let files = inputs.cut + inputs.flipped
    let result = try run(["--format", "jsonl"], command, files)
    let outcomes = try result.lines(of: Outcome.self)
    // Of an archive there may be several.
    #expect(Set(outcomes.map(\.file)) == Set(files.map { $0[...] }))
    #expect(outcomes.contains { $0.error == nil && $0.path.hasPrefix("flipped") })

    // A line for each, and other lines only of what is shown nevertheless.
    let lines = result.errorOutput.split(separator: "\n").map(String.init)
    let expected = outcomes.compactMap(\.line)
    #expect(expected.count > tries(500) && Set(expected).isSubset(of: lines))
    #expect(lines.allSatisfy { $0.hasPrefix("rebind-inspect: ") })
    if !["annotations", "tree", "symbols", "why"].contains(command[0]) {
      #expect(lines.count { !$0.isRemark } == outcomes.count { $0.error != nil })
    }

    let short = outcomes.filter { $0.path.hasPrefix("cut-") && $0.file.hasSuffix(".so") }
    #expect(short.count > tries(500))
    for outcome in short where !outcome.path.hasSuffix("headerless.so") {
      let code = outcome.path.hasPrefix("cut-0-") ? "empty" : "truncated"
      #expect(outcome.error?.code == code, "\(outcome.path)")
    }

    // Text is made by other code, behind the same reading.
    let some = inputs.flipped.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
    let text = try run([], command, some)
    #expect(
      text.errorOutput.split(separator: "\n").map(String.init)
        .allSatisfy { $0.isRemark || lines.contains($0) })
  }

  /// In a folder, ELF files that cannot be read are reported, and other files are passed over.
  @Test(arguments: Subcommands.ofSearches)
  func folders(command: [String]) throws {
    let result = try run(["--format", "jsonl"], command, ["."])
    let outcomes = try result.lines(of: Outcome.self)
    let lines = result.errorOutput.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.hasPrefix("rebind-inspect: ./") })
    #expect(
      lines.count > tries(500) && lines.count { !$0.isRemark } == outcomes.count { $0.error != nil }
    )
    #expect(Set(outcomes.compactMap(\.line)).isSubset(of: lines))
    #expect(outcomes.contains { $0.error == nil && $0.path.hasPrefix("./flipped") })
    #expect(!outcomes.contains { ["not-elf", "empty"].contains($0.error?.code) })
    let text = try run([], command, ["."])
    #expect(text.errorOutput == result.errorOutput)
  }

  /// One is good, the other damaged.
  @Test(arguments: Subcommands.ofPairs)
  func pairs(command: [String]) throws {
    let inputs = try Self.inputs.get()
    let good = GoldenTests.folder.appending(path: "x86-64.so").path
    let files = inputs.flipped.enumerated().filter { $0.offset % 20 == 0 }.map(\.element)
    // Starts as few processes as possible.
    let result = try TestSupport.run(
      "bash",
      [
        "-c",
        #"""
        ulimit -v 2000000; ulimit -c 0; ulimit -t 60; good=$2
        command=$1; shift 2
        for file; do
          "$0" $command "$good" "$file" > /dev/null
          echo "$file $?"
        done
        """#,
        inspectPath, command.joined(separator: " "), good,
      ] + files, currentDirectory: inputs.directory.url)
    let statuses = result.output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(statuses.map { String($0[0]) } == files)
    for status in statuses { #expect(["0", "1", "2"].contains(status[1]), "\(status[0])") }
    #expect(
      result.errorOutput.split(separator: "\n").allSatisfy { $0.hasPrefix("rebind-inspect: ") })
  }

  /// Section headers and what is compressed.
  @Test func compressedSections() throws {
    let built = try AnnotatedFile(LinkMode(.lld, .shared), flags: ["-g", "-gz=zlib"])
    let bytes = try built.bytes()
    let paths = try bytes.damaged(times: tries(150)).enumerated().map {
      try built.write($1, as: "damaged-\($0)")
    }
    let result = try bash(
      #"ulimit -v 2000000; ulimit -c 0; ulimit -t 60; exec "$0" "$@""#,
      ["section", ".debug_str", "--as", "strings", "--format", "jsonl"] + paths)
    #expect(!result.wasSignalled && result.status == 2)
    let files = try result.lines()
    #expect(files.map(\.path) == paths)
    #expect(files.contains { $0.error == nil })
    #expect(result.errorOutput.split(separator: "\n").count == files.count { $0.error != nil })
  }

  /// Runs a command on files, and finds the one that it dies of.
  private func run(
    _ options: [String], _ command: [String], _ files: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ProcessResult {
    let inputs = try Self.inputs.get()
    // Options go in front of those that end with the files.
    let command = command.prefix(1) + options + command.dropFirst()
    let result = try inputs.run(Array(command), files)
    let culprit = result.wasSignalled ? try inputs.culprit(Array(command), files) : nil
    #expect(
      !result.wasSignalled, "\(command) dies of \(culprit ?? "all together")",
      sourceLocation: sourceLocation)
    #expect(result.status == 2, sourceLocation: sourceLocation)
    return result
  }
}

extension String {
  /// True for a line of a file that is shown, or has nothing to show.
  fileprivate var isRemark: Bool {
    hasSuffix(": no section headers") || hasSuffix(", and names that lie behind it are shown too")
      || [": no dynamic table", " members have no "].contains { contains($0) }
  }
}
