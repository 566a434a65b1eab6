#if os(Linux) && !REBIND_ELSEWHERE
/// Refuses a function that a replacement cannot stand in for, because it is called by a convention of
/// its own.
///
/// On AArch64 Swift 6.3 calls the functions that count references by `preserve_most`: they keep nearly
/// all registers, which no function in Swift does.
package func refuseConvention(
  of symbols: [String], on machine: Machine
) throws(RebindError) {
  guard machine == .aarch64 else { return }
  for symbol in symbols where isReferenceCounting(symbol) {
    throw RebindError(code: .otherConvention, symbol: symbol)
  }
}

/// `swift_retain`, `swift_nonatomic_bridgeObjectRelease_n` and their like.
private func isReferenceCounting(_ symbol: String) -> Bool {
  let name = symbol.prefix { $0 != "@" }
  guard name.hasPrefix("swift_") else { return false }
  var rest = name.dropFirst("swift_".count)
  if rest.hasPrefix("nonatomic_") { rest = rest.dropFirst("nonatomic_".count) }
  if rest.hasSuffix("_n") { rest = rest.dropLast(2) }
  return [
    "retain", "release", "bridgeObjectRetain", "bridgeObjectRelease", "unknownObjectRetain",
    "unknownObjectRelease",
  ].contains(rest)
}

extension Machine {
  /// The machine that this code was compiled for, where it matters here.
  static var current: Machine {
    #if arch(arm64)
    .aarch64
    #else
    .amd64
    #endif
  }
}
#endif
