import Foundation
import FoundationNetworking

/// Asks a server for its greeting. It knows nothing of tests.
public struct GreetingClient: Sendable {
  public static let url = URL(string: "http://example.invalid/greeting")!

  /// Keeps no answers: else a folder of its own appears in the user's cache.
  private static let session = {
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = nil
    return URLSession(configuration: configuration)
  }()

  public init() {}

  public func greeting() async throws -> String {
    let (data, response) = try await Self.session.data(from: Self.url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    return String(decoding: data, as: UTF8.self)
  }
}
