import TestSupport

/// The files below a prefix once rebind-run is installed.
@Suite(.needsCommands, .measured, .inProducts) struct InstalledFilesTests {
  private static let made = Result {
    _ = try command.get()
    let folder = Places.package.appending(path: ".build/rebind-run-tested")
    let result = try run(
      Places.package.appending(path: "Scripts/command-files").path,
      [Places.products.appending(path: "rebind-run").path, folder.path],
      environment: ["SOURCE_DATE_EPOCH": "0"])
    try #require(result.succeeded, "\(result.output)\(result.errorOutput)")
    return folder
  }

  /// The library lies in libexec there.
  @Test func findsItsLibrary() throws {
    let program = try Self.made.get().appending(path: "bin/rebind-run").path
    let result = try run(program, ["count", "malloc", "--", "ls"])
    #expect(result.succeeded && result.errorOutput.contains(" total, 1 process\n"))
  }

  @Test(arguments: [
    ("bash", "bash-completion/completions/rebind-run"), ("zsh", "zsh/site-functions/_rebind-run"),
    ("fish", "fish/vendor_completions.d/rebind-run.fish"),
  ])
  func completionsParse(shell: String, path: String) throws {
    if isLeftOut(shell) { try Test.cancel("\(shell) is not installed") }
    let file = try Self.made.get().appending(path: "share/\(path)").path
    let result = try run(shell, ["-n", file])
    #expect(result.succeeded && result.errorOutput == "")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("sweep"))
  }

  @Test func thePageTellsOfEachSubcommand() throws {
    if isLeftOut("mandoc") { try Test.cancel("mandoc is not installed") }
    let page = try Self.made.get().appending(path: "share/man/man1/rebind-run.1").path
    #expect(try run("mandoc", ["-T", "lint", "-W", "error", page]).output == "")
    let text = try run("mandoc", ["-T", "ascii", "-O", "width=78", page]).output
      .replacing(/.\u{8}/, with: "")
    #expect(
      ["count", "fail", "delay", "sweep", "--results", "--on", "--resume"].allSatisfy(text.contains)
    )
  }
}
