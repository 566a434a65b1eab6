import TestSupport

/// `Scripts/prose` finds each fault that it names, and nothing else.
@Suite(.measured) struct ProseTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The lines that it prints of a file, without the file's path.
  private func findings(
    _ text: String, in name: String = "page.md", exceptions: String = ""
  ) throws -> [String] {
    let path = folder.url.appending(path: name)
    let list = folder.url.appending(path: "exceptions")
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: path)
    try Data(exceptions.replacing("%", with: path.path).utf8).write(to: list)
    let result = try run(
      Places.package.appending(path: "Scripts/prose").path,
      ["--exceptions", list.path, path.path])
    #expect(result.errorOutput == "")
    #expect(result.status == (result.output.isEmpty ? 0 : 1))
    return result.output.replacing("\(path.path):", with: "").replacing(list.path, with: "list")
      .split(separator: "\n").map(String.init)
  }

  /// `count` words, and a full stop.
  private static func sentence(_ count: Int) -> String {
    "Words" + String(repeating: " more", count: count - 1) + "."
  }

  @Test(arguments: [
    ("What it reads is kept.", #"opens with "What""#),
    ("It reads. Who asks gets it.", #"opens with "Who""#),
    ("(As a list, it is short.)", #"opens with "As""#),
    ("It is to be read.", #""is to be""#),
    ("They are\nto be read.", #""are to be""#),
    ("It goes by way of a slot.", #""by way of""#),
    ("Observers are told of it.", #""told of""#),
    ("There is none.", #""there is""#),
    ("It says that there are two.", #""there are""#),
    (sentence(31), "31 words"),
    ("| cell | \(sentence(31)) |", "31 words"),
  ])
  func aFaultIsNamed(text: String, fault: String) throws {
    let found = try findings(text)
    #expect(found.count == 1 && found[0].hasPrefix("1: \(fault): "), "\(found)")
  }

  @Test(arguments: [
    sentence(30),
    sentence(20) + " " + sentence(20),
    "- \(sentence(20).dropLast())\n- \(sentence(20))",
    "A list, e.g. of two. Whatever it says, whoever reads. Assume `there is` one.",
    "## What it costs\n\n| What | Who |\n|---|---|\n\nWhat does it cost?",
    "[What is reached](reach.md) says it.",
    "`a b c d` " + sentence(29),
    "```\nthere is\n```\n\n    there is\n",
    "<!-- there is -->",
  ])
  func nothingElseIsFound(text: String) throws {
    #expect(try findings(text) == [])
  }

  /// With the line that the sentence starts in.
  @Test(arguments: [
    ("a.swift", "let a = 1\n/// One. What is\n/// read.\nlet b = \"//\"", 2),
    ("a.swift", "/// - Returns: What it is.\nfunc f() {}", 1),
    ("a.swift", "f()  // What it is.\ng()  // Nothing.", 1),
    ("a.c", "int a;\n\n/* One.\n * What is read. */", 4),
    ("a.c", "/// Nothing.\n///\n/// \\returns What is read.", 3),
    ("a.py", "a = 1  # What is read.\n", 1),
    ("a.py", "def f():\n    \"\"\"What is read.\"\"\"\n", 2),
    ("script", "#!/bin/sh\n# Usage:\n#\n#   What is code.\n#\n# What is read.\n", 6),
    ("Fixtures/Recipes", "a: there is one\n  sources a.c\n", 1),
    ("Sources/a.swift", "help(\n  \"One of these. \"\n    + \"There is no \\(none(1)).\")", 3),
    ("Sources/a.swift", "let a = \"\"\"\n  A text.\n\n  There is\n  none.\n  \"\"\"", 4),
    ("Sources/a.c", "puts(\"memory \"\n     \"there is none of\");", 1),
    ("Sources/a.c", "puts(\"it has a=1; there is none beside\");", 1),
    ("Sources/a.swift", "let a = \"\"\"\n  there is no text; `null` stands\n  \"\"\"", 2),
  ])
  func commentsAndMessagesAreRead(name: String, text: String, line: Int) throws {
    let found = try findings(text, in: name)
    #expect(found.count == 1 && found[0].hasPrefix("\(line): "), "\(found)")
  }

  /// Code is no sentence.
  @Test(arguments: ["if there is { none of it }", "@section(\\\"a\\\") there is none of it"])
  func literalsOfCodeAreNotRead(literal: String) throws {
    #expect(try findings("let a = \"\(literal)\"", in: "Sources/a.swift") == [])
  }

  /// The script asks git for the files.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: Places.package.path + "/.git"), "no clone"))
  func theRepositoryHasNone() throws {
    let result = try run(Places.package.appending(path: "Scripts/prose").path, [])
    #expect(result.output == "" && result.errorOutput == "")
    #expect(result.succeeded)
  }

  @Test func exceptionsStayAndAreNeeded() throws {
    let list = "# Quoted.\n%: There is one.\n%: As it…\n%: There is none.\n"
    let found = try findings("There is one. As it is, it stays.", exceptions: list)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasPrefix("list:4: matches nothing: ") == true)
  }
}
