public import Foundation

/// A sample that is a package of its own.
public struct SamplePackage: Sendable {
  public let folder: URL

  public init(_ name: String) {
    folder = Places.package.appending(path: "Samples/\(name)")
  }

  /// What the samples' packages have in common is built once.
  private static let scratch = Places.package.appending(path: ".build/samples")

  /// Runs `swift build` or `swift test` on the package.
  public func swift(_ subcommand: String, _ arguments: [String] = []) throws -> ProcessResult {
    try run(
      "swift",
      [subcommand, "--package-path", folder.path, "--scratch-path", Self.scratch.path] + arguments,
      // A crash where read or write is made to fail would leave the backtracer waiting.
      environment: ["SWIFT_BACKTRACE": "enable=no"])
  }

  /// Where `swift("build")` leaves a product.
  public func product(_ name: String) -> URL { Self.scratch.appending(path: "debug/\(name)") }
}
