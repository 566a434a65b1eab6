import TestSupport

/// The examples of the help and of the documentation run, in a folder that has what they name.
@Suite(.needsCommands, .measured, .notInCheck) struct ExampleTests {
  /// The lines below EXAMPLES, each of which has to be a command.
  private static func examples(ofHelp arguments: [String]) throws -> [String] {
    let help = try inspect(arguments + ["--help"]).output
    let lines =
      help.components(separatedBy: "EXAMPLES:\n").dropFirst().first?
      .split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty } ?? []
    return lines.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func all() throws {
    let names = try Subcommands.names()
    let helps = [[]] + names.map { [$0] }
    var examples: [String] = []
    for help in helps {
      let own = try Self.examples(ofHelp: help)
      #expect(!own.isEmpty, "\(help) has no examples")
      // One that is too long is broken in two by the help, and does not start so.
      #expect(own.allSatisfy { $0.hasPrefix("rebind-inspect ") }, "\(own)")
      examples += own
    }
    let readme = Places.package.appending(path: "README.md")
    for page in try Articles.of("rebind-inspect") + [readme] {
      for block in try page.codeBlocks(of: "console") {
        examples += block.split(separator: "\n").filter { $0.hasPrefix("$ rebind-inspect ") }
          .map { String($0.dropFirst(2)) }
      }
    }

    let folder = try ExampleFolder()
    let process = try LookedAtProgram().started(
      "rebound", preloading: URL(filePath: folder.fixture.path("libfoo.so")))
    for example in Set(examples).sorted() {
      let result = try folder.run(example, process)
      let status = ExampleFolder.failing.contains { example.contains($0) } ? 1 : 0
      #expect(result.status == Int32(status), "\(example): \(result.errorOutput)")
      #expect(
        !result.output.isEmpty || ExampleFolder.silent.contains { example.contains($0) },
        "\(example) prints nothing")
      #expect(!result.output.split(separator: "\n").contains("null"), "\(example)")
    }
  }
}

/// A folder with the files that the examples name.
private struct ExampleFolder {
  let fixture = DependencyFixture()

  /// Parts of examples that are there for their exit status.
  static let failing = [
    "--expect 12 app", "diff old/", "diff --only export", "pidof -s sshd",
    // Its slot of malloc is rebound.
    "diff /usr/lib/libfoo.so --pid",
  ]
  /// Those that say nothing of these files, or write into another one.
  static let silent = [
    "> rodata", "> libfoo.svg", "> symbols.csv", "/wx/", "'open*'", "> libfoo.json",
    "--baseline libfoo.json", "--unresolved",
  ]

  init() throws {
    let source = """
      #include <stdlib.h>
      #include "\(Places.fixture("file-annotations.c").path)"
      int foo(int) __asm__("_ZN3Foo3fooEi");
      int foo(int size) { return malloc(size) == 0; }
      """
    let library = try fixture.library(
      "libfoo.so", source,
      flags: AnnotatedFile.includeFlags + [
        "-Wl,-z,lazy", "-Wl,-z,relro", "-Wl,--build-id", "-lc",
      ])
    for name in ["old/libfoo.so", "old.so", "reference.so", "rebuilt.so", "plugins/one.so"] {
      try fixture.write(name, Data(contentsOf: URL(filePath: library)))
    }
    for name in ["new/libfoo.so", "new.so"] {
      try fixture.library(
        name, source + "int other(void) { return 1; }", soname: "libfoo.so",
        flags: AnnotatedFile.includeFlags + ["-Wl,-z,norelro", "-lc"])
    }
    let facts = try inspect(["diff", "--facts", "--format", "json", library]).standardOutput
    try fixture.write("libfoo.json", facts)
    try fixture.write("libc.so.6", Data(contentsOf: URL(filePath: InstalledFile.libc.path)))
    try fixture.write("list.txt", Data("libfoo.so\napp\n".utf8))
    try fixture.write("foo.o", AnnotatedFile(object: .gcc).bytes())
    let app = try AnnotatedFile(
      LinkMode(.bfd, .program), flags: ["-Wl,--defsym=_ZN4Shop5priceEi=main"])
    try fixture.write("app", app.bytes())
    try fixture.compile("objcopy", ["--rename-section", "names=module_names", "app"])
    try fixture.foreign("arm64/usr/bin/app", target: "aarch64-linux-gnu", flags: ["-shared"])
  }

  /// Runs an example in a shell that has the commands that are no part of the tests' set-up.
  func run(_ example: String, _ process: WaitingProcess) throws -> ProcessResult {
    let line = example.replacing("/srv/arm64", with: "$PWD/arm64")
      .replacing("/usr/lib", with: "$PWD")
      .replacing("4711", with: "\(process.id)")
    let shell = """
      set -o pipefail
      rebind-inspect() { "$0" "$@"; }
      pidof() { echo \(process.id); }
      dot() { cat; }
      jq() { \(Places.python) -c "$values"; }
      values=$2
      cd "$1" || exit
      \(line)
      """
    // In place of jq: is it JSON?
    let values = """
      import json, sys
      text = sys.stdin.read().strip()
      while text:
          text = text[json.JSONDecoder().raw_decode(text)[1]:].strip()
      print("JSON")
      """
    return try bash(shell, [fixture.directory.url.path, values])
  }
}
