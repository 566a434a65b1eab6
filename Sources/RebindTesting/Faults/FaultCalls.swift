/// Calls in reach that a fault strikes, among those that fulfil its condition: a number or a range of
/// numbers, counted from 1, or a ``FaultCalls``.
///
/// ```swift
/// try withFailing("open", errno: EMFILE, onCall: 2...4) { try loadConfiguration() }
/// ```
///
/// Calls that cannot be, such as `onCall: 0`, are an error where the fault begins.
public protocol FaultCallsConvertible: Sendable {
  /// The calls that it stands for.
  var faultCalls: FaultCalls { get }
}

/// A choice among the calls in reach, such as `.every(3)`.
public struct FaultCalls: Sendable, Hashable {
  let first: Int
  let last: Int
  let step: Int
  /// The part of the calls that are struck, from 0 to 1.
  let part: Double
  let seed: UInt64
  /// How many strikes a test counts on.
  let expectedStrikes: Int
  /// Why no call can be meant, as a sentence; nil if one can. A trait is made before any test runs,
  /// where nothing can be thrown.
  let mistake: String?

  fileprivate init(
    first: Int = 1, last: Int = .max, step: Int = 1, part: Double = 1, seed: UInt64 = 0,
    expectedStrikes: Int = 1, mistake: String? = nil
  ) {
    self.first = first
    self.last = last
    self.step = step
    self.part = part
    self.seed = seed
    self.expectedStrikes = expectedStrikes
    self.mistake = mistake ?? (first > 0 ? nil : "calls are counted from 1, not from \(first)")
  }

  /// Chance chooses among the calls.
  var isByChance: Bool { part < 1 }

  /// The part of `UInt64.max` of the calls that are struck.
  var chance: UInt64 {
    let chance = part * 0x1p64
    return chance < 0x1p64 ? UInt64(chance) : .max
  }
}

extension FaultCallsConvertible where Self == FaultCalls {
  /// All calls.
  public static var all: FaultCalls { FaultCalls() }

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
    return FaultCalls(part: chance, seed: seed)
  }
}

extension FaultCalls: FaultCallsConvertible {
  /// The same calls.
  public var faultCalls: FaultCalls { self }
}

extension Int: FaultCallsConvertible {
  /// The one call of this number.
  public var faultCalls: FaultCalls { FaultCalls(first: self, last: self) }
}

extension PartialRangeFrom<Int>: FaultCallsConvertible {
  /// The call of this number, and all after it.
  public var faultCalls: FaultCalls { FaultCalls(first: lowerBound) }
}

extension ClosedRange<Int>: FaultCallsConvertible {
  /// The calls of these numbers.
  public var faultCalls: FaultCalls {
    // A range from 0 is a mistake, and its count may not fit.
    let count = lowerBound < 1 || upperBound == .max ? 1 : self.count
    return FaultCalls(first: lowerBound, last: upperBound, expectedStrikes: count)
  }
}

extension Range<Int>: FaultCallsConvertible {
  /// The calls of these numbers. An empty range is an error where the fault begins.
  public var faultCalls: FaultCalls {
    isEmpty
      ? FaultCalls(first: lowerBound, mistake: "the range of calls \(self) is empty")
      : (lowerBound...(upperBound - 1)).faultCalls
  }
}

extension FaultCalls: CustomStringConvertible {
  /// `call 3`, `calls 2 to 4`, `call 3 and every 3 from there`, `10.0 % of the calls (seed 7)`.
  public var description: String {
    if mistake != nil { return "calls that cannot be" }
    if isByChance { return "\(part * 100) % of the calls (seed \(seed))" }
    if step > 1 { return "call \(first) and every \(step) from there" }
    if first == last { return "call \(first)" }
    if last != .max { return "calls \(first) to \(last)" }
    return first == 1 ? "all calls" : "call \(first) and all after it"
  }
}
