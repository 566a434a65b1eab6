import TestSupport

/// Folders in place of files: their ELF files are read, each once, and what is none is counted.
@Suite(.needsCommands, .measured) struct FolderInputTests {
  /// Two libraries with another name of one, a file that is none, and links that lead around.
  private func folder() throws -> DependencyFixture {
    let fixture = DependencyFixture()
    let source = "int getpid(void); int call(void) { return getpid(); }"
    try fixture.library("all/liba.so", source)
    try fixture.library("all/below/libb.so", source)
    try fixture.write("all/text", Data("no ELF file".utf8))
    try fixture.write("all/empty", Data())
    try fixture.link("all/linked.so", to: "liba.so")
    try fixture.link("all/below/circle", to: "..")
    try FileManager.default.linkItem(
      atPath: fixture.path("all/liba.so"), toPath: fixture.path("all/second-name.so"))
    return fixture
  }

  /// The output is that for the files, in the order of their names, with every subcommand.
  @Test(.notInCheck, arguments: Subcommands.ofFiles, ["text", "json"])
  func theFilesBelow(command: [String], format: String) throws {
    let fixture = try folder()
    let files = ["all/below/libb.so", "all/liba.so"].map(fixture.path)
    let start = [command[0], "--format", format] + command.dropFirst()
    let named = try inspect(start + files)
    let found = try inspect(start + [fixture.path("all")])
    #expect(found.output == named.output && found.status == named.status)
    let counted = "rebind-inspect: \(fixture.path("all")): 2 files are no ELF files\n"
    #expect(found.errorOutput == named.errorOutput + counted)
    // A file that is named and lies in a folder that is named comes once, and so does a folder.
    let twice = try inspect(start + [files[0], fixture.path("all"), fixture.path("all")])
    #expect(twice.output == named.output)
  }

  /// A file that is named twice is asked for twice, where no folder is named.
  @Test func namedFiles() throws {
    let fixture = try folder()
    let path = fixture.path("all/liba.so")
    let files = try Report([path, path, fixture.path("all/linked.so")]).files
    #expect(files.map(\.path) == [path, path, fixture.path("all/linked.so")])
    let text = try inspect(["segments", fixture.path("all/text"), fixture.path("all")])
    #expect(text.status == 2 && text.errorOutput.contains("/text: not an ELF file\n"))
    let heading = try inspect(["segments", fixture.path("all/below")]).output
    #expect(heading.hasPrefix("\(fixture.path("all/below/libb.so")):\n"))
  }

  /// A check of nothing would find nothing.
  @Test func foldersWithoutFiles() throws {
    let fixture = try folder()
    try fixture.write("none/text", Data("no ELF file".utf8))
    let none = fixture.path("none")
    let line = "rebind-inspect: \(none): unsupported: the folder has no ELF file below it\n"
    for command in [
      ["symbols"], ["hardening", "--require", "stack=nx"], ["why", "getpid"], ["tree"],
    ] {
      let result = try inspect(command + [none])
      #expect(result.status == 2 && result.output == "" && result.errorOutput == line)
      let both = try inspect(command + [fixture.path("all/below"), none])
      #expect(both.status == 2 && both.errorOutput.hasSuffix(line) && both.output != "")
    }
    let report = try inspect(["symbols", "--format", "json", none]).report()
    #expect(report.files.map(\.path) == [none] && report.files[0].error?.code == "unsupported")
    // The files of the inner folder have come before.
    #expect(try inspect(["symbols", fixture.path("all/below"), fixture.path("all")]).status == 0)
  }

  /// Each folder and file that may not be read is one line.
  @Test func noPermission() throws {
    let fixture = try folder()
    let closed = fixture.path("all/closed")
    try fixture.library("all/closed/libc.so")
    let file = fixture.path("all/below/libb.so")
    for path in [closed, file] {
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    }
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: closed)
    }
    // Runs as another user, who may not read everything. Nor may that user write what Scripts/coverage has programs
    // write at their end, and LLVM would tell.
    let shell = """
      cd "$1"; chmod 711 .; LLVM_PROFILE_FILE=/dev/null exec "$2" -c 'import os, sys
      if os.getuid() == 0: os.setgid(65534); os.setuid(65534)
      os.execv(sys.argv[1], sys.argv[1:])' "$0" segments all
      """
    let result = try bash(shell, [fixture.directory.url.path, Places.python])
    #expect(result.status == 2 && result.output.contains("all/liba.so:\n"))
    #expect(
      Set(result.errorOutput.split(separator: "\n")) == [
        "rebind-inspect: all/closed: Permission denied",
        "rebind-inspect: all/below/libb.so: Permission denied",
        "rebind-inspect: all: 2 files are no ELF files",
      ])
    #expect(result.errorOutput.split(separator: "\n").count == 3)
  }

  /// A list may name a folder; `diff` and raw sections take files alone.
  @Test func otherWays() throws {
    let fixture = try folder()
    let all = fixture.path("all")
    let list = try fixture.write("list", Data("\(all)\n".utf8))
    let listed = try inspect(["segments", "--files-from", list])
    #expect(listed.output == (try inspect(["segments", all]).output))
    let result = try inspect(["diff", all, all])
    #expect(
      result.status == 2 && result.errorOutput == "rebind-inspect: \(all): not a regular file\n")
    let raw = try inspect(["section", ".text", "--as", "raw", all])
    #expect(raw.status == 2)
  }
}
