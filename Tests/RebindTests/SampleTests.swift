import TestSupport

/// The samples do what their readers are told.
@Suite(.measured) struct SampleTests {
  @Test(arguments: ["open-close", "open-close-c"])
  func openCloseSeesItsOwnCalls(name: String) throws {
    let program = Places.products.appending(path: name)
    let result = try run(program.path)
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
    #expect(
      result.output.split(separator: "\n").prefix(3) == [
        "Calling real open('\(program.path)', 0)",
        "ELF Magic Number: 7f454c46",
        "Calling real close(3)",
      ])
  }

  @Test func openCloseSeesFoundationsCalls() throws {
    let result = try run(Places.products.appending(path: "open-close").path)
    let lines = result.output.split(separator: "\n").dropFirst(3)
    #expect(lines.first == "Now Foundation reads a file:")
    let opened = try #require(
      lines.firstIndex { $0.hasPrefix("Calling real open('/etc/os-release',") })
    #expect(lines[(opened + 1)...].contains { $0.hasPrefix("Calling real close(") })
    let size = try Data(contentsOf: URL(filePath: "/etc/os-release")).count
    #expect(lines.last == "Foundation read \(size) bytes")
  }
}
