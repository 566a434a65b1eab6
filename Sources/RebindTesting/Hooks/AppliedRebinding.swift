#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import CRebindReach
internal import CRebindTesting

/// A symbol's slots in all images, which lead to a hook's stub.
///
/// Not checked: C's memory is used with `crebind_testing_lock` held.
final class AppliedRebinding: @unchecked Sendable {
  private let handle: OpaquePointer
  /// Whether images have slots for it, so that calls are seen.
  let isCalled: Bool
  private let slots: UnsafeMutablePointer<crebind_reach_kept_slots>

  init(
    of symbol: String, to hook: OpaquePointer, mayBeUncalled: Bool
  ) throws(RebindTestingError) {
    guard !symbol.isEmpty, !symbol.utf8.contains(0) else {
      throw RebindTestingError(code: .invalidName, symbol: symbol)
    }
    guard !isVariable(symbol) else { throw RebindTestingError(code: .variable, symbol: symbol) }
    slots = .allocate(capacity: 1)
    slots.initialize(to: crebind_reach_kept_slots())
    crebind_reach_note_images(slots)
    var report = crebind_report()
    do throws(RebindTestingError) {
      handle = try apply(symbol, to: hook, &report)
      if let code = refusal(of: report, handle: handle, mayBeUncalled: mayBeUncalled) {
        crebind_restore(handle, nil, nil)
        throw code == .severalOriginals
          ? RebindTestingError(code: code, symbol: symbol, detail: imageWithOwnFunction(symbol))
          : .refusal(code, of: symbol)
      }
    } catch {
      slots.deallocate()
      throw error
    }
    isCalled = report.changed > 0
    _ = crebind_slots(
      handle,
      { slot, slots in
        let slots = slots!.assumingMemoryBound(to: crebind_reach_kept_slots.self)
        crebind_reach_note_slot(slots, UInt(slot.pointee.address), UInt(slot.pointee.value))
      }, slots, nil)
  }

  deinit {
    crebind_reach_forget_slots(slots)
    slots.deallocate()
  }

  /// True if the images are the same, and the slots lead here. Where another rebinding lies on one, a new one
  /// has to be laid on that.
  func isUpToDate() -> Bool { crebind_reach_find_change(slots) == CREBIND_REACH_UNCHANGED }

  /// False if it could not be restored, as somebody else's hook lies on it.
  func restore() -> Bool { crebind_restore(handle, nil, nil) == CREBIND_OK }
}

/// Points a symbol's slots at a hook's stub, and returns the core's handle.
private func apply(
  _ symbol: String, to hook: OpaquePointer, _ report: inout crebind_report
) throws(RebindTestingError) -> OpaquePointer {
  var handle: OpaquePointer?
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
  return handle
}

extension RebindTestingError {
  /// Nothing calls the symbol, in the core's words.
  static func neverCalled(_ symbol: String) -> Self { .refusal(.neverCalled, of: symbol) }

  fileprivate static func refusal(_ code: Code, of symbol: String) -> Self {
    let isExplained = code == .neverCalled || code == .undefinedSymbol
    return Self(code: code, symbol: symbol, detail: isExplained ? explanation(of: symbol) : "")
  }
}

/// True if the symbol is a variable, by `st_type`: where the program would find it, or else in each library of a
/// local scope that defines it.
private func isVariable(_ symbol: String) -> Bool {
  let name = String(symbol.prefix { $0 != "@" })
  let definer = crebind_lookup(name).flatMap { crebind_image_containing($0) }
  var types: Set<UInt8> = []
  withUnsafeMutablePointer(to: &types) { types in
    for header in definer.map({ [$0] }) ?? loadedImages() {
      _ = crebind_symbols(
        header, name,
        { symbol, types in
          types!.assumingMemoryBound(to: Set<UInt8>.self).pointee.insert(symbol.pointee.type)
        }, types, nil)
    }
  }
  // STT_OBJECT, STT_COMMON and STT_TLS.
  return !types.isEmpty && types.isSubset(of: [1, 5, 6])
}

private func loadedImages() -> [UnsafeRawPointer] {
  var headers: [UnsafeRawPointer] = []
  withUnsafeMutablePointer(to: &headers) { headers in
    _ = crebind_images(
      { image, headers in
        guard let headers, let header = image.pointee.info.header else { return }
        headers.assumingMemoryBound(to: [UnsafeRawPointer].self).pointee.append(header)
      }, headers, nil)
  }
  return headers
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
#endif
