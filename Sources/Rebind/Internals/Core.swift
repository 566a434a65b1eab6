#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Makes a call of the core that reports in numbers.
func reporting(
  _ symbols: [String],
  _ body: (UnsafeMutablePointer<crebind_report>, UnsafeMutablePointer<crebind_error>) ->
    crebind_status
) throws(RebindError) -> RebindingReport {
  var report = crebind_report()
  try calling(symbols) { body(&report, $0) }
  return RebindingReport(
    changedSlots: report.changed, changedImages: report.images, unchangedSlots: report.unchanged,
    skippedSlots: report.skipped, isPending: report.pending > 0,
    hasSeveralOriginals: report.ambiguous > 0,
    bypassedSlots: report.bypassed, sealedSlots: report.sealed,
    unreachedSymbols: report.unreached, interceptedSymbols: report.intercepted,
    packedImages: report.packed, leftAloneSlots: report.left_alone,
    postponedDefinitions: report.postponed)
}

/// Makes a call of the core that visits something, and collects what `convert`
/// makes of it.
///
/// - Parameter body: Passes a visitor that calls `deliver(_:to:)`, and the context.
func collecting<Visited, Value>(
  _ symbols: [String] = [], _ convert: @escaping (Visited) -> Value,
  _ body: (UnsafeMutableRawPointer, UnsafeMutablePointer<crebind_error>) -> crebind_status
) throws(RebindError) -> [Value] {
  var values: [Value] = []
  try withUnsafeMutablePointer(to: &values) { (values) throws(RebindError) in
    // The core calls back before it returns, on this thread.
    nonisolated(unsafe) let values = values
    let visitor = Visitor { values.pointee.append(convert($0.load(as: Visited.self))) }
    try calling(symbols) { error in
      withExtendedLifetime(visitor) { body(Unmanaged.passUnretained(visitor).toOpaque(), error) }
    }
  }
  return values
}

/// A closure for the core's visitors, whose context points to it.
private final class Visitor {
  let visit: (UnsafeRawPointer) -> Void
  init(_ visit: @escaping (UnsafeRawPointer) -> Void) { self.visit = visit }
}

/// The body of all visitors. Closures for C capture nothing, so the context has it all.
func deliver(_ visited: UnsafeRawPointer, to context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Visitor>.fromOpaque(context).takeUnretainedValue().visit(visited)
}

/// Makes a call of the core and throws what it complains of.
func calling(
  _ symbols: [String], _ body: (UnsafeMutablePointer<crebind_error>) -> crebind_status
) throws(RebindError) {
  // A few kilobytes, for the path: too much for the stack of a deep recursion.
  let error = UnsafeMutablePointer<crebind_error>.allocate(capacity: 1)
  defer { error.deallocate() }
  guard body(error) != CREBIND_OK else { return }
  throw RebindError(error, symbols: symbols)
}

extension RebindError {
  /// - Parameter symbols: The names of the batch.
  init(_ error: UnsafePointer<crebind_error>, symbols: [String]) {
    // By its offset: as a member, a tuple of thousands of characters, it takes the compiler
    // minutes.
    let offset = MemoryLayout<crebind_error>.offset(of: \.image)!
    let image = (UnsafeRawPointer(error) + offset).assumingMemoryBound(to: CChar.self)
    let index = Int(error.pointee.rebinding)
    self.init(
      code: Code(error.pointee.status),
      symbol: symbols.indices.contains(index) ? symbols[index] : symbols.joined(separator: ", "),
      image: String(cString: image), systemError: error.pointee.system_error,
      tag: error.pointee.tag, address: UInt(error.pointee.address))
  }

  /// The C library's text for `systemError`.
  var systemErrorText: String { String(cString: strerror(systemError)) }
}
#endif
