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

  private func check(flags: [String], runner: [String]) throws {
    let folder = Places.package.appending(path: "Sources/CRebindTesting")
    let reach = Places.package.appending(path: "Sources/CRebindReach")
    // All but what needs libffi.
    let sources =
      [
        "hook.c", "select.c", "reach.c", "thread.c", "scope.c", "fault.c", "condition.c",
        "counts.c", "recorder.c", "runtime-images.c", "stubs.c", "stubs-x86_64.S",
        "stubs-aarch64.S",
      ].map { folder.appending(path: $0).path }
      + ["blocks.c", "task.c", "thread.c"].map { reach.appending(path: $0).path }
      + [Places.fixture("stubs.c").path]
    let scratch = try TemporaryDirectory()
    let program = scratch.url.appending(path: "stubs").path
    try compile(
      .clang,
      flags + [
        "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread",
        "-I", folder.appending(path: "include").path,
        "-I", reach.appending(path: "include").path, "-iquote", Places.fixtures.path, "-o", "stubs",
      ] + sources, in: scratch.url)
    let command = runner + [program]
    let result = try run(command[0], Array(command.dropFirst()))
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }
}
