#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import Synchronization

/// One rebinding's part of a call of the core.
struct RebindingRequest: Sendable {
  var name: String
  var version: String?
  var library: String?
  /// No error if nothing exports the symbol yet.
  var mayComeLater = false
  /// The address of a function, and that of memory that is never freed.
  nonisolated(unsafe) var replacement: UnsafeMutableRawPointer?
  nonisolated(unsafe) var original: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
}

/// A batch that is applied: what the core guards by its own lock. Not to be used after it has been
/// restored.
struct ActiveBatch: @unchecked Sendable {
  private enum Handle {
    /// A `crebind_handle *`, and the names of the rebindings.
    case batch(OpaquePointer, symbols: [String])
    /// A `crebind_imports *`, and the core's own reference to what it asks.
    case imports(OpaquePointer, Unmanaged<ImportPredicate>)
  }

  private let handle: Handle
  /// The core's own reference, until the batch is restored.
  private let predicate: Unmanaged<ScopePredicate>?

  /// An error that nothing leads to a rebinding is not explained yet: see `explaining`.
  init(
    applying requests: [RebindingRequest], in scope: RebindingScope, mayComeLater: Bool,
    report: inout RebindingReport
  ) throws(RebindError) {
    try refuseConvention(of: requests.map(\.name), on: .current)
    var handle: OpaquePointer?
    let predicate = ScopePredicate(scope)
    report = try withRebindings(requests, in: scope, asking: predicate) {
      rebindings, options throws(RebindError) in
      options.pointee.expects = mayComeLater ? CREBIND_EXPECT_LATER : CREBIND_EXPECT_DEFINED
      var failed = -1
      do throws(RebindError) {
        return try reporting(requests.map(\.name)) { report, error in
          let status = crebind_apply(
            rebindings.baseAddress, rebindings.count, options, &handle, report, error)
          if status != CREBIND_OK { failed = Int(error.pointee.rebinding) }
          return status
        }
      } catch {
        guard [.undefined, .unreached].contains(error.code), failed >= 0 else { throw error }
        var unexplained = error
        unexplained.unexplained = failed
        throw unexplained
      }
    }
    guard let handle else { fatalError("crebind_apply has succeeded without a handle") }
    self.handle = .batch(handle, symbols: requests.map(\.name))
    self.predicate = predicate.map(Unmanaged.passRetained)
  }

  /// Rebinds what a predicate chooses of the imports.
  init(
    applying imports: ImportPredicate, in scope: RebindingScope, mayComeLater: Bool,
    report: inout RebindingReport
  ) throws(RebindError) {
    var handle: OpaquePointer?
    let predicate = ScopePredicate(scope)
    do throws(RebindError) {
      report = try withOptions(scope, asking: predicate) { options throws(RebindError) in
        options.pointee.expects = mayComeLater ? CREBIND_EXPECT_LATER : CREBIND_EXPECT_DEFINED
        return try reporting([]) { report, error in
          crebind_apply_imports(
            askImportPredicate, Unmanaged.passUnretained(imports).toOpaque(), options, &handle,
            report, error)
        }
      }
      try imports.checkChoices()
    } catch {
      let explanation = imports.explanation
      let failure = imports.takeFailure()
      if let handle {
        // A later call restores it, if it cannot be restored now.
        let left = ActiveBatch(imports, handle, predicate)
        LeftBatches.restoreOrLeave(left, [])
      } else {
        imports.releaseChosen()
      }
      if let failure { throw failure }
      guard error.code == .unreached else { throw error }
      var explained = error
      explained.explanation = explanation
      throw explained
    }
    guard let handle else { fatalError("crebind_apply_imports has succeeded without a handle") }
    self.init(imports, handle, predicate)
  }

  private init(_ imports: ImportPredicate, _ handle: OpaquePointer, _ predicate: ScopePredicate?) {
    self.handle = .imports(handle, Unmanaged.passRetained(imports))
    self.predicate = predicate.map(Unmanaged.passRetained)
  }

  /// A reference to the scope's predicate, which lasts longer than the batch; nil for none.
  var scopePredicate: ScopePredicate? { predicate?.takeUnretainedValue() }

  func restore() throws(RebindError) -> RebindingReport {
    let report: RebindingReport
    switch handle {
    case .batch(let handle, let symbols):
      report = try reporting(symbols) { crebind_restore(handle, $0, $1) }
    case .imports(let handle, let imports):
      report = try reporting(imports.takeUnretainedValue().names) {
        crebind_restore_imports(handle, $0, $1)
      }
      imports.takeUnretainedValue().releaseChosen()
      imports.release()
    }
    // Nobody asks it any more.
    predicate?.release()
    return report
  }

  func verify() throws(RebindError) -> RebindingReport {
    switch handle {
    case .batch(let handle, let symbols):
      return try reporting(symbols) { crebind_verify(handle, $0, $1) }
    case .imports(let handle, let imports):
      let report = try reporting(imports.takeUnretainedValue().names) {
        crebind_verify_imports(handle, $0, $1)
      }
      try imports.takeUnretainedValue().checkChoices()
      return report
    }
  }

  func slots() throws(RebindError) -> [RebindingSlot] {
    let images = ImageTable()
    let convert = { RebindingSlot($0, images: images) }
    switch handle {
    case .batch(let handle, let symbols):
      return try collecting(symbols, convert) { context, error in
        crebind_slots(handle, { deliver($0, to: $1) }, context, error)
      }
    case .imports(let handle, let imports):
      return try collecting(imports.takeUnretainedValue().names, convert) { context, error in
        crebind_imports_slots(handle, { deliver($0, to: $1) }, context, error)
      }
    }
  }
}

func planBatch(
  _ requests: [RebindingRequest], in scope: RebindingScope
) throws(RebindError) -> [RebindingSlot] {
  try withRebindings(requests, in: scope, asking: ScopePredicate(scope)) {
    rebindings, options throws(RebindError) in
    let images = ImageTable()
    let convert = { RebindingSlot($0, images: images) }
    return try collecting(requests.map(\.name), convert) { context, error in
      crebind_plan(
        rebindings.baseAddress, rebindings.count, options, { deliver($0, to: $1) }, context,
        error)
    }
  }
}

func planImports(
  _ imports: ImportPredicate, in scope: RebindingScope
) throws(RebindError) -> [RebindingSlot] {
  let slots = try withOptions(scope, asking: ScopePredicate(scope)) {
    options throws(RebindError) in
    let images = ImageTable()
    let convert = { RebindingSlot($0, images: images) }
    return try collecting([], convert) { context, error in
      crebind_plan_imports(
        askImportPredicate, Unmanaged.passUnretained(imports).toOpaque(), options,
        { deliver($0, to: $1) }, context, error)
    }
  }
  try imports.checkChoices()
  return slots
}

func diagnoseRebinding(
  _ request: RebindingRequest, in scope: RebindingScope
) throws(RebindError) -> [Diagnosis] {
  try withRebindings([request], in: scope, asking: ScopePredicate(scope)) {
    rebindings, options throws(RebindError) in
    let images = ImageTable()
    let convert = { Diagnosis($0, symbol: request.name, images: images) }
    return try collecting([request.name], convert) { context, error in
      crebind_diagnose(
        rebindings.baseAddress!, options, { deliver($0, to: $1) }, context, error)
    }
  }
}

/// Has a call that applies a batch explain why nothing leads to a rebinding. That reads files, and
/// asks the scope's predicate: so no lock is held.
func explaining<Result>(
  _ requests: [RebindingRequest], in scope: RebindingScope,
  _ apply: () throws(RebindError) -> Result
) throws(RebindError) -> Result {
  do throws(RebindError) {
    return try apply()
  } catch {
    guard let failed = error.unexplained else { throw error }
    var explained = error
    explained.unexplained = nil
    explained.explanation = try withRebindings(
      [requests[failed]], in: scope, asking: ScopePredicate(scope)
    ) { rebindings, options throws(RebindError) in
      explain(rebindings.baseAddress!, options) ?? ""
    }
    throw explained
  }
}

/// The core's sentence for a rebinding that reaches nothing; nil if it has none.
private func explain(
  _ rebinding: UnsafePointer<crebind_rebinding>, _ options: UnsafePointer<crebind_options>
) -> String? {
  var text: String?
  withUnsafeMutablePointer(to: &text) { text in
    _ = crebind_explain(
      rebinding, options,
      { text, context in
        context?.assumingMemoryBound(to: String?.self).pointee = String(cString: text)
      }, text, nil)
  }
  return text
}

func auditImages() throws(RebindError) -> [AuditFinding] {
  let images = ImageTable()
  let convert = { AuditFinding($0, images: images) }
  return try collecting([], convert) { context, error in
    crebind_audit({ deliver($0, to: $1) }, context, error)
  }
}

// MARK: - C's form of a batch

/// Calls `body` with the batch and the scope as C has them.
private func withRebindings<Result>(
  _ requests: [RebindingRequest], in scope: RebindingScope, asking predicate: ScopePredicate?,
  _ body: (UnsafeBufferPointer<crebind_rebinding>, UnsafeMutablePointer<crebind_options>)
    throws(RebindError) -> Result
) throws(RebindError) -> Result {
  // C would read up to the zero byte, and rebind something else.
  for request in requests
  where [request.name, request.version, request.library].contains(where: {
    $0?.utf8.contains(0) == true
  }) {
    throw RebindError(code: .invalidArgument, symbol: request.name)
  }
  // All strings in one array, which does not move while `body` runs.
  var bytes: [CChar] = []
  func add(_ string: String) -> Int {
    defer { bytes.append(contentsOf: string.utf8CString) }
    return bytes.count
  }
  let offsets = requests.map { request in
    (add(request.name), request.version.map(add), request.library.map(add))
  }
  let rebindings = UnsafeMutableBufferPointer<crebind_rebinding>.allocate(
    capacity: requests.count)
  let strings = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
  defer {
    rebindings.deallocate()
    strings.deallocate()
  }
  _ = strings.initialize(from: bytes)
  for (index, (request, offset)) in zip(requests, offsets).enumerated() {
    func string(_ offset: Int) -> UnsafePointer<CChar> {
      UnsafePointer(strings.baseAddress! + offset)
    }
    rebindings.initializeElement(
      at: index,
      to: crebind_rebinding(
        name: string(offset.0), replacement: request.replacement, original: request.original,
        version: offset.1.map(string), library: offset.2.map(string), definer: nil,
        unversioned_only: false, may_come_later: request.mayComeLater))
  }
  return try withOptions(scope, asking: predicate) { options throws(RebindError) in
    try body(UnsafeBufferPointer(rebindings), options)
  }
}

private func withOptions<Result>(
  _ scope: RebindingScope, asking predicate: ScopePredicate?,
  _ body: (UnsafeMutablePointer<crebind_options>) throws(RebindError) -> Result
) throws(RebindError) -> Result {
  // No kinds means all of them to C.
  guard !scope.slotKinds.isEmpty else { throw RebindError(code: .invalidArgument) }
  var options = crebind_options()
  options.slot_kinds = scope.slotKinds.rawValue
  options.excludes_self = scope.excludesSelf
  options.loaded_images_only = scope.loadedImagesOnly
  options.slots_only = scope.slotsOnly
  options.skips_sealed_images = scope.skipsSealedImages
  var headers: [UnsafeRawPointer?] = []
  switch scope.selection {
  case .all: options.scope = CREBIND_SCOPE_ALL
  case .main: options.scope = CREBIND_SCOPE_MAIN
  case .images(let images):
    options.scope = CREBIND_SCOPE_IMAGES
    let loaded = Set(try loadedImages())
    for image in images {
      // Another one may have taken its place.
      guard loaded.contains(image) else {
        throw RebindError(code: .noSuchImage, image: image.path)
      }
      headers.append(UnsafeRawPointer(bitPattern: UInt(image.header)))
    }
  case .matching:
    options.scope = CREBIND_SCOPE_MATCHING
    options.context = predicate.map { Unmanaged.passUnretained($0).toOpaque() }
    options.matches = { info, context in
      // This thread restores it, if its owner has gone meanwhile.
      defer { LeftBatches.restore() }
      return Unmanaged<ScopePredicate>.fromOpaque(context!).takeUnretainedValue()
        .accepts(info.pointee)
    }
  }
  options.image_count = headers.count
  defer { withExtendedLifetime(predicate) {} }
  return try headers.withUnsafeMutableBufferPointer { headers throws(RebindError) in
    options.images = UnsafePointer(headers.baseAddress)
    return try body(&options)
  }
}

/// A scope's predicate, which the core calls on any thread.
final class ScopePredicate: Sendable {
  private let predicate: @Sendable (Image) -> Bool
  private let images = ImageTable()
  /// The headers of the images that it was asked about. The core asks once for each image: a second question with the
  /// same header is about another image.
  private let asked = Mutex<Set<UInt64>>([])
  private let asking = Atomic<Int>(0)

  /// Nil for a scope without one.
  init?(_ scope: RebindingScope) {
    guard case .matching(let predicate) = scope.selection else { return nil }
    self.predicate = predicate
  }

  /// True while some thread is in it.
  var isAsked: Bool { asking.load(ordering: .sequentiallyConsistent) != 0 }

  func accepts(_ info: crebind_image_info) -> Bool {
    asking.add(1, ordering: .sequentiallyConsistent)
    defer { asking.subtract(1, ordering: .sequentiallyConsistent) }
    let header = UInt64(UInt(bitPattern: info.header))
    if !asked.withLock({ $0.insert(header).inserted }) { images.remove(header) }
    return predicate(images.image(info))
  }
}

// MARK: - Values from C

extension RebindingSlot {
  init(_ info: crebind_slot_info, images: ImageTable) {
    let image = images.image(info.image)
    self.init(
      image: image, symbol: String(cString: info.symbol),
      version: info.version.map { String(cString: $0) },
      address: UInt64(info.address) &- image.loadBias,
      kind: SlotKinds(rawValue: info.kind.rawValue), current: UInt64(info.current),
      replacement: UInt64(info.value), original: UInt64(UInt(bitPattern: info.original)),
      wasLazilyUnresolved: info.is_lazy, isRelro: info.is_relro)
  }
}

extension AuditFinding {
  init(_ finding: crebind_finding, images: ImageTable) {
    let image = images.image(finding.slot.image)
    let symbol = String(cString: finding.target_symbol)
    self.init(
      image: image, symbol: String(cString: finding.slot.symbol),
      version: finding.slot.version.map { String(cString: $0) },
      address: UInt64(finding.slot.address) &- image.loadBias,
      kind: SlotKinds(rawValue: finding.slot.kind.rawValue),
      target: Target(
        address: UInt64(finding.slot.current),
        image: finding.target.header == nil ? nil : images.image(finding.target),
        symbol: symbol.isEmpty ? nil : symbol, offset: UInt64(finding.target_offset)),
      expected: UInt64(UInt(bitPattern: finding.slot.original)),
      reboundBy: finding.is_ours ? .us : .someoneElse)
  }
}

extension Diagnosis {
  init(_ diagnosis: crebind_diagnosis, symbol: String, images: ImageTable) {
    self.init(
      symbol: symbol, reason: Reason(diagnosis.reason),
      image: diagnosis.image.header == nil ? nil : images.image(diagnosis.image),
      detail: String(cString: diagnosis.detail), slotCount: diagnosis.slots)
  }
}

extension Diagnosis.Reason {
  init(_ reason: crebind_reason) { self.init(rawValue: reason.rawValue) }

  /// The core's word for the reason, such as `has-slots`.
  package var word: String {
    String(cString: crebind_reason_word(crebind_reason(rawValue: rawValue)))
  }

  /// The core's sentence for a file, or for an image of another process.
  ///
  /// - Parameter what: The word for it in the sentence.
  package func meaning(of detail: String, outside what: String) -> String {
    String(cString: crebind_reason_outside(crebind_reason(rawValue: rawValue), detail))
      .replacing("%", with: what)
  }

  /// The core's sentence for the reason.
  var sentence: String {
    String(cString: crebind_reason_description(crebind_reason(rawValue: rawValue)))
  }

  /// The same with the word that the reason comes with.
  func meaning(of detail: String) -> String {
    String(cString: crebind_reason_meaning(crebind_reason(rawValue: rawValue), detail))
  }
}
#endif
