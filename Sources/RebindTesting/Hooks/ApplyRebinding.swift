internal import CRebind
internal import CRebindTesting

/// Points a symbol's slots at a hook's stub, in all images.
///
/// - Returns: The core's handle.
func applyRebinding(
  of symbol: String, to hook: OpaquePointer, mayBeUncalled: Bool
) throws(RebindTestingError) -> OpaquePointer {
  guard !symbol.isEmpty, !symbol.utf8.contains(0) else {
    throw RebindTestingError(code: .invalidName, symbol: symbol)
  }
  // The core's own lookup: an image that imports dlsym and holds replacements has each rebinding
  // wait for threads that may be in dlsym.
  guard !crebind_testing_is_data(crebind_lookup(String(symbol.prefix { $0 != "@" }))) else {
    throw RebindTestingError(code: .variable, symbol: symbol)
  }
  var handle: OpaquePointer?
  var report = crebind_report()
  // A few kilobytes, for the path: too much for the stack of a deep recursion.
  let failure = UnsafeMutablePointer<crebind_error>.allocate(capacity: 1)
  defer { failure.deallocate() }
  let status = symbol.withCString { name in
    var rebinding = crebind_rebinding()
    rebinding.name = name
    rebinding.replacement = crebind_testing_hook_stub(hook)
    rebinding.original = crebind_testing_hook_original(hook)
    return crebind_apply(&rebinding, 1, nil, &handle, &report, failure)
  }
  guard status == CREBIND_OK, let handle else {
    throw RebindTestingError(failure, symbol: symbol)
  }
  if let code = refusal(of: report, handle: handle, mayBeUncalled: mayBeUncalled) {
    crebind_restore(handle, nil, nil)
    let detail =
      switch code {
      case .neverCalled, .undefinedSymbol: explanation(of: symbol)
      case .severalOriginals: imageWithOwnFunction(symbol)
      default: ""
      }
    throw RebindTestingError(code: code, symbol: symbol, detail: detail)
  }
  return handle
}

/// Why a rebinding that the core has applied would not do what a test expects.
private func refusal(
  of report: crebind_report, handle: OpaquePointer, mayBeUncalled: Bool
) -> RebindTestingError.Code? {
  if report.pending > 0 { return .undefinedSymbol }
  if report.left_alone > 0 { return .severalOriginals }
  if report.ambiguous > 0, haveSeveralOriginals(handle) { return .severalOriginals }
  if report.intercepted > 0 { return .intercepted }
  if report.changed == 0, !mayBeUncalled { return .neverCalled }
  return nil
}

/// Whether slots lead to different functions. A definition that no image in the process is
/// bound to, such as `realpath@GLIBC_2.2.5`, is no reason to refuse a test's hook.
private func haveSeveralOriginals(_ handle: OpaquePointer) -> Bool {
  var originals: Set<UnsafeMutableRawPointer?> = []
  withUnsafeMutablePointer(to: &originals) { originals in
    _ = crebind_slots(
      handle,
      { slot, context in
        context!.assumingMemoryBound(to: Set<UnsafeMutableRawPointer?>.self).pointee
          .insert(slot.pointee.original)
      }, originals, nil)
  }
  return originals.count > 1
}

/// The text that a question to the core about a symbol writes; "" if it writes none.
private func text(
  about symbol: String, _ ask: (inout crebind_rebinding, UnsafeMutableRawPointer) -> Void
) -> String {
  var text = ""
  symbol.withCString { name in
    var rebinding = crebind_rebinding()
    rebinding.name = name
    withUnsafeMutablePointer(to: &text) { ask(&rebinding, UnsafeMutableRawPointer($0)) }
  }
  return text
}

/// The name of an image that calls a function of that name of its own, whose slots the core leaves
/// alone; "" for none.
private func imageWithOwnFunction(_ symbol: String) -> String {
  text(about: symbol) { rebinding, text in
    _ = crebind_diagnose(
      &rebinding, nil,
      { diagnosis, text in
        guard diagnosis.pointee.reason == CREBIND_REASON_OTHER_SCOPE else { return }
        let path = String(cString: diagnosis.pointee.image.path)
        text!.assumingMemoryBound(to: String.self).pointee =
          String(path.split(separator: "/").last ?? "")
      }, text, nil)
  }
}

/// The core's sentence for why no call would be seen; "" if it has none.
private func explanation(of symbol: String) -> String {
  text(about: symbol) { rebinding, text in
    _ = crebind_explain(
      &rebinding, nil,
      { $1!.assumingMemoryBound(to: String.self).pointee = String(cString: $0) }, text, nil)
  }
}

extension RebindTestingError {
  /// The core's complaint.
  fileprivate init(_ error: UnsafePointer<crebind_error>, symbol: String) {
    // By its offset: as a member, a tuple of thousands of characters, it takes the compiler
    // minutes.
    let offset = MemoryLayout<crebind_error>.offset(of: \.image)!
    let image = (UnsafeRawPointer(error) + offset).assumingMemoryBound(to: CChar.self)
    self.init(
      code: .failure, symbol: symbol,
      detail: String(cString: crebind_status_description(error.pointee.status)),
      image: String(cString: image), systemError: error.pointee.system_error)
  }
}
