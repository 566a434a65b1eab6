#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindCounting

/// Whether Swift's compiled code calls a function for references, objects or accesses: those of the
/// runtime that are counted, and their variants for programs of one thread.
///
/// - Parameter symbol: A name, with or without a version.
package func isCountedFunctionOfRuntime(_ symbol: String) -> Bool {
  let name = symbol.prefix { $0 != "@" }
  let prefix = "swift_nonatomic_"
  return countedFunctionsOfRuntime.contains(
    name.hasPrefix(prefix) ? "swift_" + name.dropFirst(prefix.count) : String(name))
}

private let countedFunctionsOfRuntime = Set(
  crebind_counting_function.all.map(\.name).filter { $0.hasPrefix("swift_") })
#endif
