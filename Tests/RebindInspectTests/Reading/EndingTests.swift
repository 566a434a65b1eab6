import TestSupport

/// The rules for the output of every subcommand: full disks, closed pipes, many files.
@Suite(.needsCommands, .measured, .notInCheck) struct EndingTests {
  static let formats = ["text", "json", "jsonl"]

  /// Every subcommand with something to say, in each format, with the options in front of the files.
  private func commands(of process: WaitingProcess) -> [[String]] {
    let files = ["x86-64.so", "s390x.so"].map { GoldenTests.folder.appending(path: $0).path }
    let asked =
      (Subcommands.ofFiles + Subcommands.ofSearches + Subcommands.ofPairs).map { ($0, files) }
      // The process has no annotations, and is no shell.
      + Subcommands.ofProcesses.filter { !["annotations", "diff"].contains($0[0]) }
      .map { ($0, ["--pid", "\(process.id)"]) }
    return asked.flatMap { command, inputs in
      Self.formats.map { command.prefix(1) + ["--format", $0] + command.dropFirst() + inputs }
    }
  }

  /// The exit status, negative for a signal, and standard error of commands whose output goes where it
  /// cannot be written.
  private func run(_ commands: [[String]], to place: Place) throws -> [Ending] {
    let script = """
      import json, os, subprocess, sys
      endings = []
      for command in json.load(open(sys.argv[2])):
          if sys.argv[1] == "full":
              output = os.open("/dev/full", os.O_WRONLY)
          else:
              reader, output = os.pipe()
              os.close(reader)
          # Python ignores SIGPIPE, and so do its children then.
          result = subprocess.run(
              command, stdout=output, stderr=subprocess.PIPE,
              restore_signals=sys.argv[1] == "closed")
          os.close(output)
          endings.append({"status": result.returncode, "lines": result.stderr.decode()})
      print(json.dumps(endings))
      """
    let scratch = try TemporaryDirectory()
    let list = scratch.url.appending(path: "commands")
    try JSONEncoder().encode(commands.map { [inspectPath] + $0 }).write(to: list)
    let result = try TestSupport.run(Places.python, ["-c", script, place.rawValue, list.path])
    try #require(result.succeeded, "\(result.errorOutput)")
    return try JSONDecoder().decode([Ending].self, from: result.standardOutput)
  }

  private struct Ending: Decodable {
    var status: Int
    var lines: String
  }

  enum Place: String, CaseIterable {
    case full, closed
    /// With a parent that ignores SIGPIPE.
    case ignored
  }

  @Test(arguments: Place.allCases)
  func everySubcommand(place: Place) throws {
    let process = try LookedAtProgram().started("rebound")
    var commands = commands(of: process)
    if place != .full || isQuick {
      // The formats have one way out.
      commands = commands.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
    }
    if place == .full {
      commands += try Subcommands.names().map { [$0, "--help"] }
      commands += [["--version"], ["--generate-completion-script", "bash"]]
    }
    commands.append(["--help"])
    for (command, ending) in zip(commands, try run(commands, to: place)) {
      switch place {
      case .full:
        #expect(ending.status == 2, "\(command)")
        #expect(
          ending.lines == "rebind-inspect: standard output: No space left on device\n",
          "\(command)")
      case .closed: #expect(ending.status == -Int(SIGPIPE) && ending.lines == "", "\(command)")
      case .ignored:
        #expect(ending.status == 128 + Int(SIGPIPE) && ending.lines == "", "\(command)")
      }
    }
  }

  /// Many in one call: what was read of one is not kept.
  @Test(arguments: Subcommands.ofFiles)
  func manyFiles(command: [String]) throws {
    let files = (0..<tries(2000)).map { $0 % 2 == 0 ? "i386.so" : "x86-64.o" }
    var few = 0
    var many = 0
    let options = command.prefix(1) + ["--format", "json"] + command.dropFirst()
    _ = try inspectWithLimits(
      options + Array(files.prefix(3)), currentDirectory: GoldenTests.folder, peak: &few)
    let result = try inspectWithLimits(
      options + files, currentDirectory: GoldenTests.folder, peak: &many)
    #expect(!result.wasSignalled && result.status <= 2)
    struct Path: Decodable { var path: String }
    let shown = try JSONDecoder().decode(Document<Path>.self, from: result.standardOutput)
    #expect(shown.files.map(\.path) == files)
    // In KB.
    #expect(many < few + 8 << 10, "\(many) and \(few) KB")
  }
}
