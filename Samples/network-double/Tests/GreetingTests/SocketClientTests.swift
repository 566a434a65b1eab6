import Greeting
import Testing

extension Doubles {
  /// A client that works on its caller's thread: each test has a double of its own.
  @Suite struct SocketClientTests {
    @Test(arguments: ["220 ready", "421 closing"])
    func lineOfTheDouble(line: String) async throws {
      let server = try LocalServer(readsRequests: false) { _ in "\(line)\r\n" }
      let first = try await withNetworkDouble(of: "mail.example.invalid", server) {
        try firstLine(fromHost: "mail.example.invalid", port: 25)
      }
      #expect(first == "\(line)\r")
    }

    @Test func nobodyAnswers() async throws {
      let server = try LocalServer(readsRequests: false) { _ in "" }
      let first = try await withNetworkDouble(of: "mail.example.invalid", server) {
        try firstLine(fromHost: "mail.example.invalid", port: 25)
      }
      #expect(first == "")
    }
  }
}
