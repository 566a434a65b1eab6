#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import CRebindTesting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The seeds of a test's random numbers.
package enum SeededRandom {
  /// The functions whose numbers a seed gives.
  static let functions = Interception.functions(crebind_testing_random_function)

  static func interceptions(_ seed: UInt64) -> [Interception] {
    [
      Interception(
        symbols: functions, kind: .seededRandom(seed), mayBeUncalled: true, mayBeUndefined: true)
    ]
  }

  /// The seed that `REBIND_SEED` has, or else one that is random. It is short, as people copy it.
  ///
  /// - Throws: `RebindTestingError` if `REBIND_SEED` is no number.
  package static func fresh() throws(RebindTestingError) -> UInt64 {
    guard let text = getenv("REBIND_SEED").map({ String(cString: $0) }) else {
      return withOriginals { UInt64(UInt32.random(in: 1...UInt32.max)) }
    }
    guard let seed = UInt64(text) else {
      throw RebindTestingError(code: .invalidSeed, symbol: "REBIND_SEED", detail: text)
    }
    return seed
  }

  /// Whether the order of a set or dictionary may differ between two runs of a program.
  package static var hashingDiffers: Bool {
    // libswiftCore's: two words of a seed, and whether the environment has asked for the same one always.
    guard let parameters = crebind_lookup("_swift_stdlib_Hashing_parameters") else { return true }
    return UnsafeRawPointer(parameters).load(fromByteOffset: 16, as: UInt8.self) == 0
  }
}
#endif
