internal import CRebindTesting

/// How a function's calls fail, and which of them.
struct Fault: Sendable {
  var result: FaultResult
  var error: CInt?
  /// The one call that fails, counted from 1; nil for all.
  var onCall: Int?
  /// Leaves calls of Swift's libraries and the testing libraries alone.
  var sparesLibraries = false

  /// Swift cannot go on without memory, so it would not be the code under test that
  /// a fault hits first.
  static let allocators: Set<String> = [
    "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign",
    "posix_memalign", "valloc", "pvalloc",
  ]

  init(of symbol: String, result: FaultResult, error: CInt?, onCall: Int?) {
    precondition(onCall.map { $0 > 0 } ?? true, "calls are counted from 1")
    self.error = error
    self.onCall = onCall
    let name = String(symbol.prefix { $0 != "@" })
    self.result = result.result(of: name)
    sparesLibraries = Self.allocators.contains(name)
  }

  var cFault: crebind_testing_fault {
    var fault = crebind_testing_fault()
    fault.first = UInt64(onCall ?? 1)
    fault.last = onCall.map(UInt64.init) ?? .max
    fault.word = result.word
    fault.number = result.number
    fault.returns_number = result.isNumber
    fault.error = error ?? 0
    return fault
  }
}
