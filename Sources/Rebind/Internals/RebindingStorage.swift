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
    let handle = Mutex<Handle?>(nil)
    /// Apart from the mutex: a replacement may ask while a call holds that.
    let isActive = Atomic<Bool>(false)
  }

  /// A `crebind_handle *`, which the core guards by its own lock.
  private struct Handle: @unchecked Sendable {
    var pointer: OpaquePointer
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

  var isActive: Bool { state.pointee.isActive.load(ordering: .acquiring) }

  func apply(
    symbol: String, version: String?, library: String?, replacement: UnsafeMutableRawPointer
  ) throws(RebindError) -> RebindingReport {
    // `Atomic` has the layout of its value, which the core writes atomically.
    let originalPointer = UnsafeMutableRawPointer(originalCell)
      .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    return try state.pointee.handle.withLock { (handle) throws(RebindError) -> RebindingReport in
      guard handle == nil else { throw RebindError(code: .alreadyActive, symbol: symbol) }
      // C would read up to the zero byte, and rebind something else.
      guard ![symbol, version, library].contains(where: { $0?.utf8.contains(0) == true }) else {
        throw RebindError(code: .invalidArgument, symbol: symbol)
      }
      var pointer: OpaquePointer?
      let report = try calling(symbol) { report, error in
        withCStrings(symbol, version, library) { name, version, library in
          var rebinding = crebind_rebinding(
            name: name, replacement: replacement, original: originalPointer, version: version,
            library: library)
          return crebind_apply(&rebinding, 1, nil, &pointer, report, error)
        }
      }
      handle = pointer.map(Handle.init)
      state.pointee.isActive.store(true, ordering: .releasing)
      return report
    }
  }

  func restore(symbol: String) throws(RebindError) -> RebindingReport {
    try state.pointee.handle.withLock { (handle) throws(RebindError) -> RebindingReport in
      guard let active = handle else {
        return RebindingReport()
      }
      let report = try calling(symbol) { report, error in
        crebind_restore(active.pointer, report, error)
      }
      handle = nil
      state.pointee.isActive.store(false, ordering: .releasing)
      return report
    }
  }
}
