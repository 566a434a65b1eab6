public import Foundation

/// A sample that is a package of its own.
public struct SamplePackage: Sendable {
  public let folder: URL

  public init(_ name: String) {
    folder = Places.package.appending(path: "Samples/\(name)")
  }

  /// The common part of the samples' packages is built once.
  private static let scratch = Places.package.appending(path: ".build/samples")

  /// Runs `swift build` or `swift test` on the package.
  public func swift(_ subcommand: String, _ arguments: [String] = []) throws -> ProcessResult {
    // Otherwise the plug-in that was built with the tests expands the macros.
    let plugin = buildsAsUsers ? [] : macroFlags.flatMap { ["-Xswiftc", $0] }
    return try run(
      "swift",
      [subcommand, "--package-path", folder.path, "--scratch-path", Self.scratch.path] + plugin
        + arguments,
      environment: [
        // A crash where read or write is made to fail would leave the backtracer waiting.
        "SWIFT_BACKTRACE": "enable=no",
        "REBIND_HAS_MACRO_PLUGIN": buildsAsUsers ? "" : "1",
      ])
  }

  /// Where `swift("build")` leaves a product.
  public func product(_ name: String) -> URL { Self.scratch.appending(path: "debug/\(name)") }
}
