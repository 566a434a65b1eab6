import Foundation
import TestSupport
import Testing

/// The output is what Documentation/rebind-inspect.schema.json says.
@Suite struct SchemaTests {
  @Test(arguments: ["json", "jsonl"], [[], ["--demangle"], ["--imports"]])
  func outputFollowsTheSchema(format: String, options: [String]) throws {
    let fixture = try BuiltFixture()
    let odd = fixture.directory.url.path
    let result = try inspect(
      ["--format", format] + options + [fixture.path, "/nowhere", odd, try InstalledFile.libc.path])
    #expect(result.status == 1)
    let output = try fixture.write(result.standardOutput, as: "output")
    try #require(validate(output, isLines: format == "jsonl") == "")
  }

  @Test(
    arguments: ["json", "jsonl"],
    [
      ["slots"], ["annotations"], ["annotations", "--expect", "7"],
      ["section", "names", "--as", "pointers"],
      ["section", ".comment", "--as", "strings"], ["section", ".text"],
    ])
  func otherSubcommands(format: String, command: [String]) throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared), flags: ["-DWITH_UNDEFINED"])
    let object = try AnnotatedFile(object: .gcc)
    var broken = try built.bytes()
    for index in broken.indices where broken[index...].prefix(4).elementsEqual("RBA1".utf8) {
      broken[index + 3] += 1
    }
    let paths = [
      built.path, object.path, try built.stripped(), try built.write(broken, as: "broken"),
      "/nowhere",
    ]
    let result = try inspect(command + ["--format", format] + paths)
    #expect(result.status == 1)
    let output = try built.write(result.standardOutput, as: "output")
    try #require(validate(output, isLines: format == "jsonl") == "")
  }

  @Test(
    arguments: ["json", "jsonl"],
    ["sections", "segments", "dynamic", "notes", "relocations", "hardening"])
  func tables(format: String, subcommand: String) throws {
    let inputs = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    let result = try inspect(
      [subcommand, "--format", format] + inputs + ["/nowhere", try InstalledFile.libc.path])
    #expect(result.status == 1)
    let scratch = try TemporaryDirectory()
    let output = scratch.url.appending(path: "output")
    try result.standardOutput.write(to: output)
    try #require(validate(output.path, isLines: format == "jsonl") == "")
  }

  @Test(arguments: ["json", "jsonl"])
  func tree(format: String) throws {
    let fixture = DependencyFixture()
    try fixture.library("liba.so")
    let program = try fixture.program("program", needs: ["liba.so"])
    try fixture.write("broken/liba.so", Data("broken".utf8))
    let result = try inspect([
      "tree", "--format", format, "--library-path", fixture.path("broken"), "--preload",
      fixture.path("liba.so"), program, "/nowhere", try InstalledFile.clang.path,
      fixture.path("broken/liba.so"),
    ])
    #expect(result.status == 1)
    let output = try fixture.write("output", result.standardOutput)
    try #require(validate(output, isLines: format == "jsonl") == "")
  }

  @Test(
    arguments: ["json", "jsonl"],
    [
      ["symbols", "--resolve", "/usr/bin/env", "/nowhere"],
      ["why", "open", "--in", "/usr/bin/env"],
      ["why", "memcpy@NONE", "--library", "none.so", "--in", "/usr/bin/env", "/nowhere"],
      ["diff", "/usr/bin/env", "/bin/sh"], ["diff", "/usr/bin/env", "/usr/bin/env"],
      ["diff", "/usr/bin/env", "/nowhere"],
    ])
  func installedPrograms(format: String, command: [String]) throws {
    let fixture = DependencyFixture()
    let result = try inspect([command[0], "--format", format] + command.dropFirst())
    let output = try fixture.write("output", result.standardOutput)
    try #require(validate(output, isLines: format == "jsonl") == "")
  }

  @Test(arguments: ["json", "jsonl"], ["nothing", "rebound", "code"])
  func processes(format: String, what: String) throws {
    let program = try LookedAtProgram()
    let process = try program.started(what, preloading: what == "code" ? program.hook() : nil)
    let scratch = try TemporaryDirectory()
    let commands = [
      ["slots"], ["images"], ["audit"], ["why", "open"], ["why", "none", "--in", "none.so"],
      ["diff", program.url.path], ["diff", "/bin/sh"],
    ]
    for command in commands {
      let result = try inspect(command + ["--format", format, "--pid", "\(process.id)"])
      if command == ["audit"] { #expect((result.status == 1) == (what != "nothing")) }
      let output = scratch.url.appending(path: "output")
      try result.standardOutput.write(to: output)
      try #require(validate(output.path, isLines: format == "jsonl") == "")
    }
  }

  /// The check itself can fail.
  @Test(arguments: [
    #"{"schema":"rebind-inspect/2","files":[]}"#,
    #"{"schema":"rebind-inspect/1","files":[{"path":"a"}]}"#,
    #"{"schema":"rebind-inspect/1","path":"a","error":{"code":"Not ELF","message":"","field":null,"offset":null}}"#,
  ])
  func theSchemaRefuses(_ text: String) throws {
    let scratch = try TemporaryDirectory()
    let url = scratch.url.appending(path: "output")
    try text.write(to: url, atomically: true, encoding: .utf8)
    #expect(try validate(url.path, isLines: false) != "")
  }

  /// What the validator has against a file; empty if it is valid.
  private func validate(_ output: String, isLines: Bool) throws -> String {
    let schema = Places.package.appending(path: "Documentation/rebind-inspect.schema.json").path
    let script = """
      import json, jsonschema, sys
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      text = open(sys.argv[2], encoding="utf-8").read()
      for document in text.splitlines() if sys.argv[3] == "lines" else [text]:
          validator.validate(json.loads(document))
      """
    // Debian's python3-jsonschema belongs to this interpreter.
    let result = try run(
      "/usr/bin/python3", ["-c", script, schema, output, isLines ? "lines" : "document"])
    return result.succeeded ? "" : "invalid: \(result.errorOutput.suffix(2000))"
  }
}
