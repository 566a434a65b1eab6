import Foundation
public import Testing

extension Tag {
  /// Builds packages, which takes minutes.
  @Tag public static var buildsPackages: Self
  /// Builds and runs fixtures under a sanitizer.
  @Tag public static var sanitizes: Self
}

private let kind = ProcessInfo.processInfo.environment["REBIND_TESTS"]

/// Whether this is `make check`, the inner loop, which leaves slow tests out.
public let isInnerLoop = kind == "check"

/// Whether packages are built as their users build them, with a swift-syntax of their own, which
/// `make test-products` does.
public let buildsAsUsers = kind == "products"

/// Whether few rounds are enough: in the inner loop, and for `make test-inputs`, which looks at
/// what the tests read.
public let isQuick = isInnerLoop || kind == "inputs"

/// How often something is tried that chance has a part in: a quarter as often where `isQuick`.
public func tries(_ count: Int) -> Int { isQuick ? (count + 3) / 4 : count }

extension Trait where Self == ConditionTrait {
  /// Leaves the test out of `make check`.
  public static var notInCheck: Self { .disabled(if: isInnerLoop, "make check leaves it out") }
}
