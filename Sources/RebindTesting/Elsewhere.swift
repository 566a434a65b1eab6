/// The interface of RebindTesting on other systems than Linux, so that tests that name it can be built there. Traits cancel
/// their tests, and functions throw `unsupported`.
#if !os(Linux) || REBIND_ELSEWHERE
#if canImport(Testing)
public import Testing
#endif

private func unsupported(_ symbol: String) -> RebindTestingError {
  RebindTestingError(code: .unsupported, symbol: symbol, detail: unsupportedReason)
}

// MARK: - Values

public struct CType: Sendable, Hashable {
  static let uint8 = CType()
  static let float = CType()
  static let double = CType()
  static let pointer = CType()
  init(fields: [CType] = []) {}
  init(bitWidth: Int, isSigned: Bool) {}
}

public struct FaultResult: Sendable, Hashable, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  public static let usual = FaultResult()
  public static let original = FaultResult()
  public static func atMost(_ count: Int) -> FaultResult { .usual }
  public static func inOrder(_ results: FaultResult...) -> FaultResult { .usual }
  public static func value(_ value: some CValue) -> FaultResult { .usual }
  private init() {}
  public init(integerLiteral value: Int) {}
  public init(floatLiteral value: Double) {}
  public init(booleanLiteral value: Bool) {}
  public init(nilLiteral: ()) {}
}

public struct Fault: Sendable, Hashable, CustomStringConvertible {
  public let symbol: String
  public var description: String { "Fault(\(symbol))" }

  public init(
    _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
    onCall calls: some FaultCallsConvertible = .all, when condition: FaultCondition = .always,
    after delay: Duration = .zero
  ) {
    self.symbol = symbol
  }
}

public struct CallCounts: Sendable, Hashable {
  public let inReach, outOfReach, struck, spared: Int
  public static func current(of symbol: String) -> CallCounts? { nil }
}

public struct ActiveFault: Sendable {
  public let fault: Fault
  public let counts: CallCounts
  public var symbol: String { fault.symbol }
  public var strikes: Int { counts.struck }
  public var shortfall: String? { nil }
}

public struct RecordedCall: Sendable, Hashable {
  public let function: String
  public let words: [UInt64]
  public let texts: [String]
  public let thread: CInt
  public let task: UInt64?
  public let arguments: [UInt64]
  public let doubles: [Double]
  public let floats: [Float]
  public let errno: CInt?
  public let image: String?
  public func result<Value: CValue & BitwiseCopyable>(as type: Value.Type) -> Value? { nil }
}

public final class CallRecording: Sendable {
  public static var current: CallRecording? { nil }
  public var calls: [RecordedCall] { [] }
  public var callsOfRuntime: [RecordedCall] { [] }
  public func calls(of function: String) -> [RecordedCall] { [] }
}

extension FaultRun: CustomStringConvertible {
  public var description: String { "\(fault): \(outcome)" }
}

public struct OriginalFunction<Result: BitwiseCopyable, each Argument: CValue & BitwiseCopyable>:
  Sendable
{
  public func callAsFunction(_ arguments: repeat each Argument) -> Result {
    fatalError(unsupportedReason)
  }
}

public struct BlockingThreads: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let pool = Self(rawValue: 1)
  public static let mainActor = Self(rawValue: 2)
}

public struct BlockingCalls: Sendable, Hashable {
  public struct Site: Sendable, Hashable {
    public let function: String
    public let group: BlockingGroup
    public let calls: Int
    public let total, longest: Duration
    public let frames: [AllocationCounts.Frame]
    public let isCut: Bool
  }

  public let sites: [Site]
  public let callsWithoutSite, calls: Int
  public let total: Duration
}

public struct BlockingCallSearch: ~Copyable, Sendable {
  public let found: BlockingCalls

  public init(
    over threshold: Duration = .milliseconds(1), including groups: [BlockingGroup] = [],
    allowing allowances: [BlockingAllowance] = [], on threads: BlockingThreads = .pool
  ) throws(RebindTestingError) { throw unsupported("") }
}

// MARK: - Functions

nonisolated(nonsending) public func findingBlockingCalls(
  over threshold: Duration = .milliseconds(1), including groups: [BlockingGroup] = [],
  allowing allowances: [BlockingAllowance] = [], on threads: BlockingThreads = .pool,
  reach: Reach<AnyBody> = .task, body: nonisolated(nonsending) () async throws -> Void
) async throws -> BlockingCalls { throw unsupported("") }

public func findingDescriptorLeaks<Body>(
  allowing allowances: DescriptorAllowance..., reach: Reach<Body> = Reach<AnyBody>.task,
  body: () throws -> Void
) throws -> [LeakedDescriptor] { throw unsupported("") }

nonisolated(nonsending) public func findingDescriptorLeaks(
  allowing allowances: DescriptorAllowance..., reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) () async throws -> Void
) async throws -> [LeakedDescriptor] { throw unsupported("") }

public func sweepFaults(
  _ fault: Fault, _ others: Fault..., limit: Int = 1000, timeLimit: Duration = .seconds(10),
  body: () throws -> Void
) throws -> FaultSweepReport { throw unsupported(fault.symbol) }

public func sweepFaults(
  in symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  when condition: FaultCondition = .always, after delay: Duration = .zero, limit: Int = 1000,
  timeLimit: Duration = .seconds(10), body: () throws -> Void
) throws -> FaultSweepReport { throw unsupported(symbol) }

@discardableResult
public func withFailing<Return, Body>(
  _ fault: Fault, _ others: Fault..., reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false, body: () throws -> Return
) throws -> Return { throw unsupported(fault.symbol) }

@discardableResult
public func withFailing<Return, Body>(
  _ fault: Fault, _ others: Fault..., reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false, body: ([ActiveFault]) throws -> Return
) throws -> Return { throw unsupported(fault.symbol) }

@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ fault: Fault, _ others: Fault..., reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return { throw unsupported(fault.symbol) }

@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ fault: Fault, _ others: Fault..., reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false,
  body: nonisolated(nonsending) ([ActiveFault]) async throws -> Return
) async throws -> Return { throw unsupported(fault.symbol) }

@discardableResult
public func withFailing<Return, Body>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false, body: () throws -> Return
) throws -> Return { throw unsupported(symbol) }

@discardableResult
public func withFailing<Return, Body>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false, body: (ActiveFault) throws -> Return
) throws -> Return { throw unsupported(symbol) }

@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return { throw unsupported(symbol) }

@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false,
  body: nonisolated(nonsending) (ActiveFault) async throws -> Return
) async throws -> Return { throw unsupported(symbol) }

@discardableResult
public func withFrozenTime<Return, Body>(
  _ time: Duration, reach: Reach<Body> = Reach<AnyBody>.task, body: () throws -> Return
) throws -> Return { throw unsupported("") }

@discardableResult
nonisolated(nonsending) public func withFrozenTime<Return>(
  _ time: Duration, reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return { throw unsupported("") }

@discardableResult
public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, like function: (repeat each Argument) -> Result, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (OriginalFunction<Result, repeat each Argument>, repeat each Argument) ->
    Result, body: () throws -> Return
) throws -> Return
where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, like function: (repeat each Argument) -> Result, reach: Reach<AnyBody> = .task,
  _ handler: @escaping @Sendable (repeat each Argument) -> Result, body: () throws -> Return
) throws -> Return
where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, like function: (repeat each Argument) -> Result, reach: Reach<SynchronousBody>,
  _ handler:
    @escaping (OriginalFunction<Result, repeat each Argument>, repeat each Argument) -> Result,
  body: () throws -> Return
) throws -> Return
where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, like function: (repeat each Argument) -> Result, reach: Reach<SynchronousBody>,
  _ handler: @escaping (repeat each Argument) -> Result, body: () throws -> Return
) throws -> Return
where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
nonisolated(nonsending) public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, like function: (repeat each Argument) -> Result, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (OriginalFunction<Result, repeat each Argument>, repeat each Argument) ->
    Result, body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return
where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
nonisolated(nonsending) public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, like function: (repeat each Argument) -> Result, reach: Reach<AnyBody> = .task,
  _ handler: @escaping @Sendable (repeat each Argument) -> Result,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return
where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (OriginalFunction<Result, repeat each Argument>, repeat each Argument) ->
    Result, body: () throws -> Return
) throws -> Return
where
  repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: CValue,
  Result: BitwiseCopyable
{ throw unsupported(symbol) }

@discardableResult
public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, reach: Reach<SynchronousBody>,
  _ handler:
    @escaping (OriginalFunction<Result, repeat each Argument>, repeat each Argument) -> Result,
  body: () throws -> Return
) throws -> Return
where
  repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: CValue,
  Result: BitwiseCopyable
{ throw unsupported(symbol) }

@discardableResult
public func withRebinding<each Argument, Return>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (OriginalFunction<Void, repeat each Argument>, repeat each Argument) -> Void,
  body: () throws -> Return
) throws -> Return where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
public func withRebinding<each Argument, Return>(
  _ symbol: String, reach: Reach<SynchronousBody>,
  _ handler: @escaping (OriginalFunction<Void, repeat each Argument>, repeat each Argument) -> Void,
  body: () throws -> Return
) throws -> Return where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
nonisolated(nonsending) public func withRebinding<each Argument, Result, Return>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (OriginalFunction<Result, repeat each Argument>, repeat each Argument) ->
    Result, body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return
where
  repeat each Argument: CValue, repeat each Argument: BitwiseCopyable, Result: CValue,
  Result: BitwiseCopyable
{ throw unsupported(symbol) }

@discardableResult
nonisolated(nonsending) public func withRebinding<each Argument, Return>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (OriginalFunction<Void, repeat each Argument>, repeat each Argument) -> Void,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return where repeat each Argument: CValue, repeat each Argument: BitwiseCopyable {
  throw unsupported(symbol)
}

@discardableResult
public func withRecordedCalls<Return, Body>(
  of functions: String..., reach: Reach<Body> = Reach<AnyBody>.task,
  body: (CallRecording) throws -> Return
) throws -> Return { throw unsupported(functions.joined(separator: ", ")) }

@discardableResult
nonisolated(nonsending) public func withRecordedCalls<Return>(
  of functions: String..., reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) (CallRecording) async throws -> Return
) async throws -> Return { throw unsupported(functions.joined(separator: ", ")) }

@discardableResult
public func withSeededRandom<Return>(_ seed: UInt64, body: () throws -> Return) throws -> Return {
  throw unsupported("")
}

@discardableResult
nonisolated(nonsending) public func withSeededRandom<Return>(
  _ seed: UInt64, body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return { throw unsupported("") }

// MARK: - Traits

#if canImport(Testing)
/// A trait whose test needs Linux, and is cancelled.
public struct LinuxTrait: TestTrait, SuiteTrait {
  public var isRecursive: Bool { true }

  /// Before the scope begins: a parameterised test that is cancelled there counts as passed.
  public func prepare(for test: Test) async throws {
    // Swift 6.2 cannot cancel a test.
    #if compiler(>=6.3)
    try Test.cancel(
      "needs Linux: run this test in a container", sourceLocation: test.sourceLocation)
    #else
    throw unsupported(test.name)
    #endif
  }

  public var warmed: Self { self }
}

public typealias BudgetTrait = LinuxTrait
public typealias FailingTrait = LinuxTrait
public typealias FrozenTimeTrait = LinuxTrait
public typealias NonblockingTrait = LinuxTrait
public typealias RecordingTrait = LinuxTrait
public typealias SeededRandomTrait = LinuxTrait

extension LinuxTrait {
  public enum Hashing: Sendable { case optional, required }
}

extension Trait where Self == LinuxTrait {
  public static func allocations(
    atMost limit: Int, reach: Reach<AnyBody> = .task, sites: Bool = false
  ) -> Self { Self() }
  public static func failing(
    _ fault: Fault, _ others: Fault..., reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false
  ) -> Self { Self() }
  public static func failing(
    _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
    onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
    after delay: Duration = .zero, reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false
  ) -> Self { Self() }
  public static func frozenTime(_ time: Duration, reach: Reach<AnyBody> = .task) -> Self { Self() }
  public static func noDescriptorLeaks(
    allowing allowances: DescriptorAllowance..., reach: Reach<AnyBody> = .task
  ) -> Self { Self() }
  public static var noDescriptorLeaks: Self { Self() }
  public static var noLeaks: Self { Self() }
  public static func nonblocking(
    over threshold: Duration = .milliseconds(1), including groups: [BlockingGroup] = [],
    allowing allowances: [BlockingAllowance] = [], on threads: BlockingThreads = .pool,
    reach: Reach<AnyBody> = .task
  ) -> Self { Self() }
  public static var nonblocking: Self { Self() }
  public static func recordingCalls(_ functions: String..., reach: Reach<AnyBody> = .task) -> Self {
    Self()
  }
  public static func retains(atMost limit: Int, reach: Reach<AnyBody> = .task, sites: Bool = false)
    -> Self
  { Self() }
  public static func seededRandom(_ seed: UInt64, hashing: SeededRandomTrait.Hashing = .optional)
    -> Self
  { Self() }
  public static var seededRandom: Self { Self() }
}

extension Trait where Self == ConditionTrait {
  public static var unlessSanitized: Self { .disabled(if: false) }
}
#endif
#endif
