/// Which of the calls in reach a fault strikes, among those that fulfil its condition.
///
/// A literal is the number of the one call, counted from 1: `onCall: 3`. Calls that cannot be, such as
/// `onCall: 0`, are an error where the fault begins.
public struct FaultCalls: Sendable, Hashable, ExpressibleByIntegerLiteral {
  let first: Int
  let last: Int
  let step: Int
  /// The part of `UInt64.max` of the calls that are struck.
  let chance: UInt64
  let seed: UInt64
  /// How many strikes a test counts on.
  let expectedStrikes: Int
  /// Why no call can be meant, as a sentence; nil if one can. A trait is made before any test runs,
  /// where nothing can be thrown.
  let mistake: String?

  private init(
    first: Int = 1, last: Int = .max, step: Int = 1, chance: UInt64 = .max, seed: UInt64 = 0,
    expectedStrikes: Int = 1, mistake: String? = nil
  ) {
    self.first = first
    self.last = last
    self.step = step
    self.chance = chance
    self.seed = seed
    self.expectedStrikes = expectedStrikes
    self.mistake = mistake ?? (first > 0 ? nil : "calls are counted from 1, not from \(first)")
  }

  /// Chance chooses among the calls.
  var isByChance: Bool { chance != .max }

  /// All calls.
  public static let all = FaultCalls()

  /// One call, counted from 1.
  public init(_ number: Int) { self.init(first: number, last: number) }

  /// One call, counted from 1.
  public init(integerLiteral number: Int) { self.init(number) }

  /// A call and all after it, counted from 1.
  public static func from(_ first: Int) -> FaultCalls { FaultCalls(first: first) }

  /// Some calls in a row, counted from 1. A range up to `Int.max` is ``from(_:)``.
  public static func range(_ calls: ClosedRange<Int>) -> FaultCalls {
    let isOpen = calls.upperBound == .max
    return FaultCalls(
      first: calls.lowerBound, last: calls.upperBound,
      // A range from 0 is a mistake, and its count may not fit.
      expectedStrikes: isOpen || calls.lowerBound < 1 ? 1 : calls.count)
  }

  /// Every n-th call: with 3 the third, the sixth, and so on.
  public static func every(_ count: Int) -> FaultCalls {
    FaultCalls(
      first: count, step: count,
      mistake: count > 0 ? nil : "every n-th call is a call from 1 on, not \(count)")
  }

  /// A part of the calls, which looks random and is the same for the same seed.
  ///
  /// - Parameters:
  ///   - chance: From 0 for none to 1 for all.
  ///   - seed: Chooses among the patterns.
  public static func random(_ chance: Double, seed: UInt64) -> FaultCalls {
    guard (0...1).contains(chance) else {
      return FaultCalls(mistake: "a chance is from 0 to 1, not \(chance)")
    }
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
