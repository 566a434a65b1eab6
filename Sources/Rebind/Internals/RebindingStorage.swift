internal import CRebind
public import Synchronization

/// A rebinding's state, at an address that stays: the core writes the original
/// there, and replacements read it from any thread.
///
/// A plain address, so that reading the original retains nothing. Never freed.
@usableFromInline
internal struct RebindingStorage: Sendable {
  // The memory is allocated for good, and what it holds is atomic or behind a
  // mutex.
  private nonisolated(unsafe) let state: UnsafeMutablePointer<State>

  @usableFromInline
  internal nonisolated(unsafe) let originalCell: UnsafeMutablePointer<OriginalCell>

  @usableFromInline
  internal typealias OriginalCell = Atomic<UnsafeMutableRawPointer?>

  private struct State: ~Copyable {
    let use = Mutex(Use.inactive)
    /// Apart from the mutex: a replacement may ask while a call holds that.
    let isActive = Atomic<Bool>(false)
  }

  /// What the rebinding is applied as.
  private enum Use {
    case inactive
    case alone(ActiveBatch)
    /// Part of a batch, which alone can restore it.
    case inBatch
  }

  init(symbol: String) {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    originalCell = .allocate(capacity: 1)
    originalCell.initialize(to: Atomic(crebind_lookup(symbol)))
  }

  @inlinable
  internal var original: UnsafeMutableRawPointer? {
    originalCell.pointee.load(ordering: .relaxed)
  }

  /// Where the core writes the original, atomically: `Atomic` has the layout of its
  /// value.
  var originalPointer: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    UnsafeMutableRawPointer(originalCell).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  var isActive: Bool { state.pointee.isActive.load(ordering: .acquiring) }

  // MARK: Alone

  func apply(
    _ request: RebindingRequest, in scope: RebindingScope
  ) throws(RebindError) -> RebindingReport {
    try state.pointee.use.withLock { (use) throws(RebindError) -> RebindingReport in
      guard case .inactive = use else {
        throw RebindError(code: .alreadyActive, symbol: request.name)
      }
      var report = RebindingReport()
      use = .alone(try ActiveBatch(applying: [request], in: scope, report: &report))
      state.pointee.isActive.store(true, ordering: .releasing)
      return report
    }
  }

  func restore(symbol: String) throws(RebindError) -> RebindingReport {
    try state.pointee.use.withLock { (use) throws(RebindError) -> RebindingReport in
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

  fileprivate func reserve(symbol: String) throws(RebindError) {
    try state.pointee.use.withLock { (use) throws(RebindError) in
      guard case .inactive = use else { throw RebindError(code: .alreadyActive, symbol: symbol) }
      use = .inBatch
    }
  }

  fileprivate func setActiveInBatch() { state.pointee.isActive.store(true, ordering: .releasing) }

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
  var reserved: [Replacement] = []
  do throws(RebindError) {
    for replacement in replacements {
      let cell = replacement.storage.originalCell
      // Twice in one batch, rather than applied already.
      guard !reserved.contains(where: { $0.storage.originalCell == cell }) else {
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
