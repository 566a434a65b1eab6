internal import CRebind

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Makes a call of the core and turns its answer into Swift values.
func calling(
  _ symbol: String,
  _ body: (UnsafeMutablePointer<crebind_report>, UnsafeMutablePointer<crebind_error>) ->
    crebind_status
) throws(RebindError) -> RebindingReport {
  var report = crebind_report()
  // A few kilobytes, for the path: too much for the stack of a deep recursion.
  let error = UnsafeMutablePointer<crebind_error>.allocate(capacity: 1)
  defer { error.deallocate() }
  let status = body(&report, error)
  guard status == CREBIND_OK else { throw RebindError(error, symbol: symbol) }
  return RebindingReport(
    changedSlots: report.changed, changedImages: report.images, unchangedSlots: report.unchanged,
    skippedSlots: report.skipped, isPending: report.pending > 0,
    hasSeveralOriginals: report.ambiguous > 0)
}

/// Calls `body` with the strings as C has them, and nil as NULL.
func withCStrings<Result>(
  _ first: String, _ second: String?, _ third: String?,
  _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
) -> Result {
  func withOptional(
    _ string: String?, _ body: (UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let string else { return body(nil) }
    return string.withCString(body)
  }
  return first.withCString { first in
    withOptional(second) { second in
      withOptional(third) { third in body(first, second, third) }
    }
  }
}

extension RebindError {
  init(_ error: UnsafePointer<crebind_error>, symbol: String) {
    let image = withUnsafePointer(to: error.pointee.image) {
      $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
        String(cString: $0)
      }
    }
    self.init(
      code: Code(rawValue: error.pointee.status.rawValue), symbol: symbol, image: image,
      systemError: error.pointee.system_error, tag: error.pointee.tag,
      address: UInt(error.pointee.address))
  }

  /// The core's sentence for the code.
  var reason: String {
    String(cString: crebind_status_description(crebind_status(rawValue: code.rawValue)))
  }

  /// The C library's text for `systemError`.
  var systemErrorText: String { String(cString: strerror(systemError)) }
}
