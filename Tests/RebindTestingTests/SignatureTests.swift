import RebindTesting
import TestSupport

/// Arguments and results of every type arrive as they were sent, at the handler and
/// at the original.
@Suite(.measured) struct SignatureTests {
  @Test func integersOfAllSizes() throws {
    let call = try TypedCalls.function("call_integers", as: (@convention(c) () -> Double).self)
    let expected = call()
    var handled = 0
    let result = try withRebinding(
      "integers", reach: .thread,
      {
        (
          original, a: Int8, b: UInt8, c: Int16, d: UInt16, e: Int32, f: UInt32, g: Int64,
          h: UInt64, i: Bool, j: UnsafePointer<CChar>, k: UnsafeMutableRawPointer?
        ) -> Double in
        handled += 1
        #expect((a, b, c, d, e, f) == (-1, 255, -300, 65535, -70000, 4_000_000_000))
        #expect(g == .min && h == .max && i && String(cString: j) == "*" && k == nil)
        return original(a, b, c, d, e, f, g, h, i, j, k)
      }
    ) { call() }
    #expect(result == expected && handled == 1)
  }

  /// More arguments than registers.
  @Test func floatingPointNumbers() throws {
    let call = try TypedCalls.function("call_numbers", as: (@convention(c) () -> Float).self)
    let result = try withRebinding(
      "numbers",
      {
        (
          original, a: Float, b: Double, c: Float, d: Double, e: Float, f: Double, g: Float,
          h: Double, i: Float, j: Double
        ) -> Float in
        #expect([b, d, f, h, j] == [2, 4, 6, 8, 10] && [a, c, e, g, i] == [1, 3, 5, 7, 9])
        return original(a, b, c, d, e, f, g, h, i, j) + 0.5
      }
    ) { call() }
    #expect(result == 55.5)
  }

  @Test func smallResults() throws {
    let callSmall: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    let small = try withRebinding(
      "small", { (original, value: Int8) -> Int8 in original(value) * 40 }
    ) {
      callSmall()
    }
    #expect(small == -120)
    let callNegate = try TypedCalls.function("call_negate", as: (@convention(c) () -> Bool).self)
    let negated = try withRebinding(
      "negate", { (original, value: Bool) -> Bool in !original(value) }
    ) {
      callNegate()
    }
    #expect(negated)
  }

  @Test func structures() throws {
    let callSum: TypedCalls.Int32Caller = try TypedCalls.function("call_sum")
    let sum = try withRebinding(
      "sum",
      { (original, value: Nested) -> CInt in
        var value = value
        #expect(value.pair == Pair(whole: 1, part: 2) && value.second == 4)
        value.third = 100
        return original(value)
      }
    ) { callSum() }
    #expect(sum == 104)
  }

  @Test func structuresInRegisters() throws {
    // In C the result is a structure of eight bytes, which comes in one register.
    let call = try TypedCalls.function("call_swap", as: (@convention(c) () -> Int64).self)
    let seen = try withRebinding(
      "swap",
      { (original, value: Pair) -> Pair in
        let result = original(value)
        #expect(value == Pair(whole: 3, part: 4.5) && result == Pair(whole: 4, part: 3))
        return result
      }
    ) { call() }
    #expect(Int32(truncatingIfNeeded: seen) == 4)
  }

  /// A result that comes by a hidden pointer.
  @Test func structuresInMemory() throws {
    let call = try TypedCalls.function(
      "call_move", as: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
    var result = Rectangle(x: 0, y: 0, width: 0, height: 0)
    try withRebinding(
      "move",
      { (original, value: Rectangle, by: Double) -> Rectangle in
        let moved = original(value, by)
        #expect(moved == Rectangle(x: 11, y: 2, width: 3, height: 4))
        return original(moved, 1)
      }
    ) { withUnsafeMutableBytes(of: &result) { call($0.baseAddress!) } }
    #expect(result == Rectangle(x: 12, y: 2, width: 3, height: 4))
  }

  @Test func enumerations() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_mix")
    let mixed = try withRebinding(
      "mix",
      { (_, colour: Colour) -> Colour in
        Colour(rawValue: colour.rawValue + 1)
      }
    ) { call() }
    #expect(mixed == 8)
  }

  @Test func noResult() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_effect")
    let before = call()
    var values: [CInt] = []
    try withRebinding(
      "effect", reach: .thread,
      { (original, value: CInt) in
        values.append(value)
        original(value * 10)
      }
    ) { #expect(call() == before + 20) }
    #expect(values == [2])
  }

  @Test func noArguments() throws {
    let parent = getppid()
    try withRebinding("getppid", { original in original() + 1 }) {
      #expect(getppid() == parent + 1)
    }
    #expect(getppid() == parent)
  }
}
