import TestSupport

/// The stubs by themselves, on this machine and under emulation on the other.
@Suite(.measured) struct StubTests {
  @Test func native() throws {
    try check(flags: [], runner: [])
  }

  @Test(
    .inCore,
    .enabled(
      if: FileManager.default.fileExists(atPath: "/usr/bin/aarch64-linux-gnu-gcc")
        && FileManager.default.fileExists(atPath: "/usr/bin/qemu-aarch64"),
      "a cross compiler and qemu-user are not installed"))
  func aarch64() throws {
    try check(
      flags: [
        "--target=aarch64-linux-gnu", "-isystem", "/usr/aarch64-linux-gnu/include",
        "-fuse-ld=lld", "--gcc-toolchain=/usr",
      ], runner: ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"])
  }

  /// A hot handler awaits the ends of calls whose registers of numbers are not kept.
  @Test(arguments: [
    [], ["--target=aarch64-linux-gnu", "-isystem", "/usr/aarch64-linux-gnu/include"],
  ])
  func awaitingChangesNoRegisterOfNumbers(flags: [String]) throws {
    let folder = Places.package.appending(path: "Sources/CRebindStubs")
    let scratch = try TemporaryDirectory()
    for level in ["-O0", "-O2", "-O3"] {
      try compile(
        .clang,
        flags + [
          level, "-std=gnu11", "-I", folder.appending(path: "include").path, "-S", "-o", "code.s",
          folder.appending(path: "pending.c").path,
        ], in: scratch.url)
      let code = try String(contentsOf: scratch.url.appending(path: "code.s"), encoding: .utf8)
      #expect(code.contains("crebind_stubs_await"))
      let registers = code.matches(of: /%[xyz]mm\d+|\b[dqsv]\d+\b/).map { String($0.0) }
      #expect(registers == [], "\(level)")
    }
  }

  private func check(flags: [String], runner: [String]) throws {
    func folder(_ target: String) -> URL { Places.package.appending(path: "Sources/\(target)") }
    let targets = ["CRebindTesting", "CRebindReach", "CRebindStubs"].map(folder)
    let sources =
      try targets.flatMap { target in
        try FileManager.default.contentsOfDirectory(atPath: target.path)
          .filter { $0.hasSuffix(".c") || $0.hasSuffix(".S") }
          .map { target.appending(path: $0).path }
      } + [Places.fixture("stubs.c").path]
    let scratch = try TemporaryDirectory()
    let program = scratch.url.appending(path: "stubs").path
    try compile(
      .clang,
      flags + [
        "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-iquote",
        Places.fixtures.path, "-o", "stubs",
      ] + targets.flatMap { ["-I", $0.appending(path: "include").path] } + sources,
      in: scratch.url)
    let command = runner + [program]
    let result = try run(command[0], Array(command.dropFirst()))
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }
}
