import Foundation
import FoundationNetworking
import Greeting
import Testing

extension Doubles {
  /// The double of the one host is for the whole process here.
  @Suite struct URLSessionTests {
    @Test func greetingOfTheDouble() async throws {
      let server = try LocalServer(readsRequests: true) { request in
        let isRight = request == "GET /greeting HTTP/1.1"
        return httpAnswer(isRight ? 200 : 404, "Hello from the double")
      }
      let greeting = try await withNetworkDouble(of: "example.invalid", server, reach: .process) {
        try await GreetingClient().greeting()
      }
      #expect(greeting == "Hello from the double")
    }

    @Test func serverInTrouble() async throws {
      let server = try LocalServer(readsRequests: true) { _ in httpAnswer(503, "") }
      await #expect(throws: URLError.self) {
        try await withNetworkDouble(of: "example.invalid", server, reach: .process) {
          try await GreetingClient().greeting()
        }
      }
    }

    private func httpAnswer(_ status: Int, _ body: String) -> String {
      "HTTP/1.1 \(status) \r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
  }
}
