import Foundation
public import Testing

extension Tag {
  /// Builds packages, which takes minutes.
  @Tag public static var buildsPackages: Self
  /// Builds and runs fixtures under a sanitizer.
  @Tag public static var sanitizes: Self
}

/// Whether this is `make check`, the inner loop, which leaves slow tests out.
public let isInnerLoop = ProcessInfo.processInfo.environment["REBIND_TESTS"] == "check"

extension Trait where Self == ConditionTrait {
  /// Leaves the test out of `make check`.
  public static var notInCheck: Self { .disabled(if: isInnerLoop, "make check leaves it out") }
}
