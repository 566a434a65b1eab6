#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import Synchronization

/// A rebinding's state, at an address that stays: the core writes the original
/// there, and replacements read it from any thread. Never freed once a rebinding has it.
struct RebindingStorage: Sendable {
  private nonisolated(unsafe) let state: UnsafeMutablePointer<State>

  var address: UInt { UInt(bitPattern: state) }

  private struct State: ~Copyable {
    let use = Mutex(Use.inactive)
    let cell: UnsafeMutablePointer<Atomic<UInt>>
    /// The cell is the rebinding's own.
    let isStatic: Bool
    /// A batch may use the replacement at any time.
    let hasReplacement = Atomic<Bool>(false)
    /// Apart from the mutex: a replacement may ask while a call holds that.
    let isActive = Atomic<Bool>(false)

    init(cell: UnsafeMutablePointer<Atomic<UInt>>, isStatic: Bool) {
      self.cell = cell
      self.isStatic = isStatic
    }
  }

  /// The way in which the rebinding is applied.
  private enum Use {
    case inactive
    case alone(ActiveBatch)
    /// Part of a batch, which alone can restore it.
    case inBatch
  }

  /// - Parameter ownCell: The rebinding's own, which is used if it is static: `Atomic`
  ///   has the layout of its value.
  init(symbol: String, ownCell: UnsafePointer<Atomic<UInt>>) {
    let cell: UnsafeMutablePointer<Atomic<UInt>>
    let isStatic = crebind_image_containing(ownCell) != nil
    if isStatic {
      cell = UnsafeMutablePointer(mutating: ownCell)
    } else {
      cell = .allocate(capacity: 1)
      cell.initialize(to: Atomic(0))
    }
    state = .allocate(capacity: 1)
    state.initialize(to: State(cell: cell, isStatic: isStatic))
    let found = UInt(bitPattern: crebind_lookup(symbol))
    _ = cell.pointee.compareExchange(expected: 0, desired: found, ordering: .releasing)
  }

  /// For storage that no rebinding has taken.
  func free(ownCell: UnsafePointer<Atomic<UInt>>) {
    let cell = state.pointee.cell
    if UnsafePointer(cell) != ownCell { cell.deallocate() }
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The storage that a rebinding keeps the address of.
  init(at address: UInt) {
    // Never 0, as `init` has allocated it.
    state = UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  var original: UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: state.pointee.cell.pointee.load(ordering: .relaxed))
  }

  /// Where the core writes the original, atomically: `Atomic` has the layout of its
  /// value.
  var originalPointer: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    UnsafeMutableRawPointer(state.pointee.cell)
      .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  var isStatic: Bool { state.pointee.isStatic }

  /// The core writes to the cell, or may be told to.
  var isInUse: Bool {
    isActive || state.pointee.hasReplacement.load(ordering: .acquiring)
  }

  func noteReplacement() { state.pointee.hasReplacement.store(true, ordering: .releasing) }

  func isCell(_ cell: UnsafePointer<Atomic<UInt>>) -> Bool {
    cell == UnsafePointer(state.pointee.cell)
  }

  var isActive: Bool { state.pointee.isActive.load(ordering: .acquiring) }

  // MARK: Alone

  func apply(
    _ request: RebindingRequest, in scope: RebindingScope, mayComeLater: Bool
  ) throws(RebindError) -> RebindingReport {
    LeftBatches.restore()
    return try explaining([request], in: scope) { () throws(RebindError) -> RebindingReport in
      try applyUnexplained(request, in: scope, mayComeLater: mayComeLater)
    }
  }

  private func applyUnexplained(
    _ request: RebindingRequest, in scope: RebindingScope, mayComeLater: Bool
  ) throws(RebindError) -> RebindingReport {
    try state.pointee.use.withLock { (use) throws(RebindError) -> RebindingReport in
      guard case .inactive = use else {
        throw RebindError(code: .alreadyActive, symbol: request.name)
      }
      var report = RebindingReport()
      use = .alone(
        try ActiveBatch(
          applying: [request], in: scope, mayComeLater: mayComeLater, report: &report))
      state.pointee.isActive.store(true, ordering: .releasing)
      return report
    }
  }

  func restore(symbol: String) throws(RebindError) -> RebindingReport {
    LeftBatches.restore()
    return try state.pointee.use.withLock { (use) throws(RebindError) -> RebindingReport in
      switch use {
      case .inactive: return RebindingReport()
      case .inBatch: throw RebindError(code: .partOfBatch, symbol: symbol)
      case .alone(let batch):
        let report = try batch.restore()
        use = .inactive
        state.pointee.isActive.store(false, ordering: .releasing)
        return report
      }
    }
  }

  /// Calls `body` with the active batch, which nobody restores meanwhile.
  func withActiveBatch<Result: Sendable>(
    symbol: String, _ body: (ActiveBatch) throws(RebindError) -> Result
  ) throws(RebindError) -> Result {
    try state.pointee.use.withLock { (use) throws(RebindError) -> Result in
      switch use {
      case .inactive: throw RebindError(code: .notActive, symbol: symbol)
      case .inBatch: throw RebindError(code: .partOfBatch, symbol: symbol)
      case .alone(let batch): return try body(batch)
      }
    }
  }

  // MARK: In a batch

  func reserve(symbol: String) throws(RebindError) {
    try state.pointee.use.withLock { (use) throws(RebindError) in
      guard case .inactive = use else { throw RebindError(code: .alreadyActive, symbol: symbol) }
      use = .inBatch
    }
  }

  func setActiveInBatch() { state.pointee.isActive.store(true, ordering: .releasing) }

  fileprivate func release() {
    state.pointee.use.withLock { use in
      use = .inactive
      state.pointee.isActive.store(false, ordering: .releasing)
    }
  }
}

/// Applies a batch by `apply`, with its rebindings kept from being applied otherwise
/// until `release`.
func reserving<Result>(
  _ replacements: [Replacement], _ apply: () throws(RebindError) -> Result
) throws(RebindError) -> Result {
  LeftBatches.restore()
  var reserved: [Replacement] = []
  do throws(RebindError) {
    for replacement in replacements {
      let address = replacement.storage.address
      // Twice in one batch, rather than applied already.
      guard !reserved.contains(where: { $0.storage.address == address }) else {
        throw RebindError(code: .duplicateName, symbol: replacement.request.name)
      }
      try replacement.storage.reserve(symbol: replacement.request.name)
      reserved.append(replacement)
    }
    let result = try apply()
    for replacement in replacements { replacement.storage.setActiveInBatch() }
    return result
  } catch {
    release(reserved)
    throw error
  }
}

/// Lets go of what `reserving` has reserved.
func release(_ replacements: [Replacement]) {
  for replacement in replacements { replacement.storage.release() }
}
#endif
