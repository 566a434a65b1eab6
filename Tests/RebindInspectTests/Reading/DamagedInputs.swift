import TestSupport

/// Damaged copies of the files that the golden output is of, in one folder, the same in each run.
struct DamagedInputs {
  let directory: TemporaryDirectory
  /// Those that end early.
  private(set) var cut: [String] = []
  private(set) var flipped: [String] = []

  /// Made once for all tests.
  static let shared = Result {
    let inputs = try DamagedInputs()
    inputs.directory.keepUntilExit()
    return inputs
  }

  private init() throws {
    directory = try TemporaryDirectory()
    var generator = SplitMix64(state: 0x5eed)
    for input in GoldenTests.inputs {
      let bytes = try Data(contentsOf: GoldenTests.folder.appending(path: input))
      for length in stride(from: 0, to: bytes.count, by: isQuick ? 256 : 64) {
        cut.append(try write(bytes.prefix(length), "cut-\(length)-\(input)"))
      }
      // Without section headers all is where it was.
      let whole = input == "headerless.so" ? "x86-64.so" : input
      let regions =
        input.hasSuffix(".a")
        ? [0..<bytes.count]
        : try Data(contentsOf: GoldenTests.folder.appending(path: whole)).elfRegions
      let copies =
        regions.flatMap { bytes.damaged(in: $0, times: tries(6), using: &generator) }
        + bytes.damaged(times: tries(20))
      for (index, copy) in copies.enumerated() {
        flipped.append(try write(copy, "flipped-\(index)-\(input)"))
      }
    }
  }

  private func write(_ bytes: Data, _ name: String) throws -> String {
    try bytes.write(to: directory.url.appending(path: name))
    return name
  }

  /// Runs the command in the folder, with little memory and time for each.
  func run(_ command: [String], _ files: [String]) throws -> ProcessResult {
    try inspectWithLimits(command + files, currentDirectory: directory.url)
  }

  /// The first of the files that a command dies of alone; nil if it takes several.
  func culprit(_ command: [String], _ files: [String]) throws -> String? {
    guard try run(command, files).wasSignalled else { return nil }
    if files.count == 1 { return files[0] }
    let half = files.count / 2
    return try culprit(command, Array(files.prefix(half)))
      ?? culprit(command, Array(files.dropFirst(half)))
  }
}
