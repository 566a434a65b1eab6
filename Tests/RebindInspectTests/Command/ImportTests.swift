import TestSupport

/// The command and the modules that it links do without Foundation, whose tables for all languages
/// would take 40 MB in a static executable.
@Suite(.measured, .needsCommands) struct ImportTests {
  @Test(arguments: ["rebind-inspect", "ELFInspection", "RebindFiles", "Rebind", "ELFVocabulary"])
  func withoutFoundation(target: String) throws {
    let folder = Places.package.appending(path: "Sources/\(target)")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let sources = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    try #require(sources.count > 10)
    for source in sources {
      let text = try String(contentsOf: source, encoding: .utf8)
      #expect(!text.contains(/(?m)^[a-z@ ]*import Foundation/), "\(source.path)")
    }
  }
}
