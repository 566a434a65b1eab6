import TestSupport

/// Processes whose images are damaged, in their files or in memory alone.
@Suite(.needsCommands, .measured, .notInCheck) struct ProcessFuzzTests {
  /// The inputs that a process of this machine may take for images.
  private static let machines =
    1.littleEndian == 1
    ? ["x86-64.so", "headerless.so", "i386.so", "aarch64.so"] : ["powerpc.so", "s390x.so"]

  @Test func damagedImages() throws {
    let inputs = try DamagedInputs.shared.get()
    let files = inputs.flipped.filter { file in Self.machines.contains { file.hasSuffix($0) } }
      .enumerated().filter { $0.offset % 3 == 0 }
      .map { inputs.directory.url.appending(path: $0.element).path }
    let half = files.count / 2
    let mapped = try Self.start(files.prefix(half) + ["4711"] + files.dropFirst(half))
    for command in Subcommands.ofProcesses {
      for format in ["text", "jsonl"] {
        let result = try inspectWithLimits(
          command + ["--format", format, "--pid", "\(mapped.id)"])
        #expect(!result.wasSignalled && result.status <= 2, "\(command) \(format)")
        let lines = result.errorOutput.split(separator: "\n")
        #expect(
          lines.allSatisfy { $0.hasPrefix("rebind-inspect: ") },
          "\(result.errorOutput.suffix(2000))")
        guard format == "jsonl" else { continue }
        let shown = try result.lines()
        #expect(Set(shown.filter { $0.error != nil }.map(\.path)).count <= lines.count)
        if command == ["images"] {
          #expect(Set(shown.map(\.path)).intersection(files).count > tries(50))
        }
      }
    }
  }

  /// An image's own statement of its size does not hide the files that are mapped behind it.
  @Test func anImageThatSaysThatItIsLarge() throws {
    let scratch = try TemporaryDirectory()
    let bytes = try Data(contentsOf: GoldenTests.folder.appending(path: Self.machines[0]))
    let headers = bytes.elfRegions[1]
    let (entry, size, width) = bytes[4] == 2 ? (56, 0x28, 8) : (32, 0x14, 4)
    let starts = stride(from: headers.lowerBound, to: headers.upperBound, by: entry)
    // PT_LOAD, in either byte order.
    let loads = starts.filter { Data([0, 0, 0, 1]) == Data(bytes[$0..<$0 + 4].sorted()) }
    let last = try #require(loads.last)
    // p_memsz of the last PT_LOAD: 127 TB, or 2 GB where it has four bytes.
    var large = bytes
    let place = 1.littleEndian == 1 ? (width == 8 ? 5 : 3) : 0
    large[last + size + place] = 0x7f
    var paths: [String] = []
    for index in 0..<3 {
      let url = scratch.url.resolvingSymlinksInPath().appending(path: "\(index).so")
      try large.write(to: url)
      paths.append(url.path)
    }
    let mapped = try Self.start(paths)
    let shown = try Report("images", ["--pid", "\(mapped.id)"]).files.map(\.path)
    #expect(Set(paths).isSubset(of: shown))
  }

  /// A process in which files are mapped.
  private static func start(_ arguments: [String]) throws -> WaitingProcess {
    let builder = try FixtureBuilder.shared(.gcc, key: ["mapped"]) {
      try $0.build("mapped", from: ["inspect-mapped.c"], withCore: false)
    }
    let process = try WaitingProcess(
      builder.directory.url.appending(path: "mapped"), arguments)
    process.directory = builder.directory
    return process
  }
}
