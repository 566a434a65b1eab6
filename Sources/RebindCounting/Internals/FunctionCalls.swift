#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindCounting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The calls of each function. It has no memory of its own, which an outer counting would see.
struct FunctionCalls: Sendable, Hashable {
  private static let notCounted = -1

  private var numbers = InlineArray<32, Int>(repeating: notCounted)

  /// The calls of a function; nil if it was not counted.
  subscript(function: crebind_counting_function) -> Int? {
    get {
      let number = numbers[Int(function.rawValue)]
      return number == Self.notCounted ? nil : number
    }
    set { numbers[Int(function.rawValue)] = newValue ?? Self.notCounted }
  }

  /// The calls of a function of this name; nil if it was not counted.
  subscript(name: String) -> Int? {
    for function in crebind_counting_function.all
    where name.withCString({ strcmp($0, crebind_counting_name(function)) == 0 }) {
      return self[function]
    }
    return nil
  }

  /// Whether a function was called.
  var isCalled: Bool { crebind_counting_function.all.contains { self[$0] ?? 0 > 0 } }

  static func == (left: Self, right: Self) -> Bool {
    left.numbers.indices.allSatisfy { left.numbers[$0] == right.numbers[$0] }
  }

  func hash(into hasher: inout Hasher) {
    for index in numbers.indices { hasher.combine(numbers[index]) }
  }
}

extension crebind_counting_function {
  /// All functions, in C's order.
  static var all: some Sequence<Self> {
    (0..<CREBIND_COUNTING_FUNCTION_COUNT.rawValue).lazy.map(Self.init(rawValue:))
  }

  /// The name of its symbol.
  var name: String { String(cString: crebind_counting_name(self)) }
}
#endif
