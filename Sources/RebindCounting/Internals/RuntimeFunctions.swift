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

private let countedFunctionsOfRuntime: Set<String> = {
  let functions = (0..<CREBIND_COUNTING_FUNCTION_COUNT.rawValue).map {
    String(cString: crebind_counting_name(crebind_counting_function(rawValue: $0)))
  }
  return Set(functions.filter { $0.hasPrefix("swift_") })
}()
