/// Which of the calls in reach a fault strikes, among those that fulfil its condition.
///
/// A literal is the number of the one call, counted from 1: `onCall: 3`.
public struct FaultCalls: Sendable, Hashable, ExpressibleByIntegerLiteral {
  let first: Int
  let last: Int
  let step: Int
  /// The part of `UInt64.max` of the calls that are struck.
  let chance: UInt64
  let seed: UInt64
  /// How many strikes a test counts on.
  let expectedStrikes: Int

  private init(
    first: Int = 1, last: Int = .max, step: Int = 1, chance: UInt64 = .max, seed: UInt64 = 0,
    expectedStrikes: Int = 1
  ) {
    precondition(first > 0 && step > 0, "calls are counted from 1")
    self.first = first
    self.last = last
    self.step = step
    self.chance = chance
    self.seed = seed
    self.expectedStrikes = expectedStrikes
  }

  /// Chance chooses among the calls.
  var isByChance: Bool { chance != .max }

  /// All calls.
  public static let all = FaultCalls()

  /// One call.
  ///
  /// - Precondition: `number` is at least 1.
  public init(_ number: Int) { self.init(first: number, last: number) }

  /// One call.
  ///
  /// - Precondition: The literal is at least 1.
  public init(integerLiteral number: Int) { self.init(number) }

  /// A call and all after it.
  ///
  /// - Precondition: `first` is at least 1.
  public static func from(_ first: Int) -> FaultCalls { FaultCalls(first: first) }

  /// Some calls in a row.
  ///
  /// - Precondition: The first one is at least 1.
  public static func range(_ calls: ClosedRange<Int>) -> FaultCalls {
    FaultCalls(
      first: calls.lowerBound, last: calls.upperBound, expectedStrikes: calls.count)
  }

  /// Every n-th call: with 3 the third, the sixth, and so on.
  ///
  /// - Precondition: `count` is at least 1.
  public static func every(_ count: Int) -> FaultCalls { FaultCalls(first: count, step: count) }

  /// A part of the calls, which looks random and is the same for the same seed.
  ///
  /// - Parameters:
  ///   - chance: From 0 for none to 1 for all.
  ///   - seed: Chooses among the patterns.
  /// - Precondition: `chance` is from 0 to 1.
  public static func random(_ chance: Double, seed: UInt64) -> FaultCalls {
    precondition((0...1).contains(chance), "a chance is from 0 to 1")
    let part = chance * 0x1p64
    return FaultCalls(chance: part < 0x1p64 ? UInt64(part) : .max, seed: seed)
  }
}

extension FaultCalls: CustomStringConvertible {
  /// `call 3`, `calls 2 to 4`, `every 3rd call`.
  public var description: String {
    if isByChance { return "a part of the calls" }
    if step > 1 { return "call \(first) and every \(step) from there" }
    if first == last { return "call \(first)" }
    if last != .max { return "calls \(first) to \(last)" }
    return first == 1 ? "all calls" : "call \(first) and all after it"
  }
}
