import Rebind
import RebindConfiguration
import RebindRegistry
import TestSupport

/// Configurations in files.
@Suite(.measured) struct ConfigurationFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func file(_ contents: some DataProtocol) throws -> String {
    let url = folder.url.appending(path: "app.configuration")
    try Data(contents).write(to: url)
    return url.path
  }

  private let expected = AnnotationConfiguration(groups: [
    "modules": [.init(key: "Mail", priority: 100), .init(key: "Games", isEnabled: false)]
  ])

  @Test func jsonIsRead() throws {
    let path = try file(
      Data(
        """
        {"modules": [{"key": "Mail", "priority": 100}, {"key": "Games", "enabled": false}]}
        """.utf8))
    #expect(try AnnotationConfiguration(contentsOf: path) == expected)
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func propertyListIsRead(format: PropertyListSerialization.PropertyListFormat) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let path = try file(try encoder.encode(expected))
    #expect(try AnnotationConfiguration(contentsOf: path) == expected)
  }

  @Test func registryMergesAFile() throws {
    let registry = AnnotationRegistry(group: "modules")
    registry.register("Mail") { 1 }
    registry.register("Games") { 2 }
    try registry.merge(
      contentsOf: file(Data(#"{"modules": [{"key": "Games", "enabled": false}]}"#.utf8)))
    #expect(try registry.entries.map(\.key) == ["Mail"])
  }

  @Test(arguments: [
    (
      #"{"modules": [{"key": "a"}, {"key": "b", "priority": "high"}]}"#,
      "modules[1].priority: is no whole number"
    ),
    (#"{"modules": [{"key": "a", "enabled": 1}]}"#, "modules[0].enabled: is no true or false"),
    (#"{"modules": [{"value": "a"}]}"#, "modules[0].key: is missing"),
    (#"{"modules": [{"key": ""}]}"#, "modules[0].key: the key is empty"),
    (
      #"{"modules": [{"key": "a", "level": 1}]}"#,
      "modules[0].level: not known: use key, value, priority or enabled"
    ),
    (#"{"modules": [{"key": "a"}, {"key": "a"}]}"#, "modules[1].key: a is there twice"),
    (#"{"modules": {"key": "a"}}"#, "modules: is no list"),
    ("[]", "is no object"),
    ("", "The given data was not valid JSON"),
    ("{\"modules\": [}", "The given data was not valid JSON"),
    ("<plist><dict><key>modules</key><string>x</string></dict></plist>", "modules: is no list"),
    ("<plist><dict>", "The given data was not a valid property list: Malformed tag on line 1"),
  ])
  func whatIsWrongIsNamed(contents: String, text: String) throws {
    let path = try file(Data(contents.utf8))
    let registry = AnnotationRegistry(group: "modules")
    let error = try #require(
      #expect(throws: AnnotationRegistryError.self) { try registry.merge(contentsOf: path) })
    #expect("\(error)".hasPrefix("\(path): \(text)"), "\(error)")
    #expect(!"\(error)".contains("\n"))
  }

  @Test func fileThatIsNotThere() throws {
    let path = folder.url.appending(path: "missing").path
    let error = try #require(
      #expect(throws: AnnotationRegistryError.self) {
        try AnnotationConfiguration(contentsOf: path)
      })
    #expect("\(error)".hasPrefix("\(path): "))
    #expect("\(error)".contains("o such file"), "\(error)")
  }
}
