import TestSupport

/// The commands on the page "Nothing happened?" run, and answer as the page says.
@Suite(.needsCommands, .measured) struct NothingHappenedTests {
  private static let answers = [
    "why price_of --in shop": ["bound-inside", "unexported"],
    "why open --in shop": ["other-name", "open64"],
    "why strlen --in shop": ["not-imported"],
    "why close --in shop": ["not-imported"],
    "symbols --exports libprices.so": ["price_of", "total"],
    "symbols --imports shop": ["open64"],
    "why price_of --in libprices.so": ["bound-inside", "-Bsymbolic"],
    "dynamic libprices.so | grep SYMBOLIC": ["SYMBOLIC"],
    "why open --in shop-static": ["static-executable"],
  ]

  @Test func commandsAnswer() throws {
    let page = Places.package.appending(path: "Sources/Rebind/Rebind.docc/NothingHappened.md")
    let scratch = try TemporaryDirectory()
    let folder = scratch.url
    let text = try String(contentsOf: page, encoding: .utf8)
    for source in text.matches(of: /`(\w+\.c)`:\n\n```c\n((?s:.*?\n))```/) {
      try Data(source.2.utf8).write(to: folder.appending(path: String(source.1)))
    }
    var asked: Set<String> = []
    for line in try page.codeBlocks(of: "console").flatMap({ $0.split(separator: "\n") }) {
      let command = line.trimmingPrefix("$ ")
      let result = try run(
        "bash",
        ["-c", "set -o pipefail; rebind-inspect() { \"$0\" \"$@\"; }; \(command)", inspectPath],
        currentDirectory: folder)
      #expect(result.succeeded, "\(command): \(result.errorOutput)")
      guard command.hasPrefix("rebind-inspect ") else { continue }
      let question = String(command.trimmingPrefix("rebind-inspect "))
      asked.insert(question)
      for word in try #require(Self.answers[question], "\(command)") {
        #expect(result.output.contains(word), "\(command): \(result.output)")
      }
    }
    #expect(asked == Set(Self.answers.keys))
  }
}
