import Foundation
public import Testing

/// The stages in which tests run, which REBIND_TESTS names. CONTRIBUTING.md says what each is for.
private enum Stage: String {
  /// `make check`, the inner loop.
  case check
  /// `make test`, where REBIND_TESTS is not set.
  case test
  /// `.ci/run core`: what a change of the core can break.
  case core
  /// `.ci/run products`: what users build.
  case products
  /// `make test-all`: all of it, with all rounds.
  case all

  static let current =
    ProcessInfo.processInfo.environment["REBIND_TESTS"].flatMap(Stage.init) ?? .test
}

/// Whether this is `make check`.
public let isInnerLoop = Stage.current == .check

/// Whether packages are built as their users build them, with a swift-syntax of their own.
public let buildsAsUsers = Stage.current == .products || Stage.current == .all

/// Whether few rounds are enough where chance has a part, and few builds where many are alike. `make test-all` runs all.
public let isQuick = Stage.current != .all

/// Whether fixtures run with each of their compilers, and not with the first one alone.
let runsAllCompilers = Stage.current == .core || Stage.current == .all

/// How often something is tried that chance has a part in: a quarter as often where `isQuick`.
public func tries(_ count: Int) -> Int { isQuick ? (count + 3) / 4 : count }

extension Trait where Self == ConditionTrait {
  /// Leaves the test out of `make check`.
  public static var notInCheck: Self { .disabled(if: isInnerLoop, "make check leaves it out") }

  /// Leaves a test that builds with a sanitizer, or is slow and of the core alone, to `.ci/run core`.
  public static var inCore: Self { only(in: .core) }

  /// Leaves a test that builds packages to `.ci/run products`.
  public static var inProducts: Self { only(in: .products) }

  /// Leaves a test to `make test-all`.
  public static var inAll: Self { only(in: .all) }

  private static func only(in stage: Stage) -> Self {
    .enabled(
      if: [stage, .all].contains(Stage.current),
      Comment(rawValue: "\(stage == .all ? "make test-all" : ".ci/run \(stage.rawValue)") runs it"))
  }
}
