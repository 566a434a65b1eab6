#if os(Linux) && !REBIND_ELSEWHERE
/// Rebindings that are applied until this goes out of scope.
///
/// It cannot be copied, so one place ends them; a property of a class or of another such type holds
/// it for longer. Assigned to `_` it goes at once: end its scope with `restore()`, or use
/// `withRebindings`.
///
/// While another thread is in the predicate of the scope, images keep being loaded, or somebody
/// else's hook lies on top, the rebindings stay applied for longer. That thread restores them when
/// the predicate has answered; else the next call of this module does, if it can. They stay for
/// good only if that hook stays or the operating system refuses to open their pages.
public struct ActiveRebindings: ~Copyable, Sendable {
  /// The report of applying them.
  public let report: RebindingReport

  private let replacements: [Replacement]
  private var batch: ActiveBatch?

  init(
    applying batch: RebindingBatch, in scope: RebindingScope, mayComeLater: Bool
  ) throws(RebindError) {
    replacements = batch.replacements
    var report = RebindingReport()
    if let choose = batch.chooser {
      guard replacements.isEmpty else {
        throw RebindError(code: .invalidArgument, symbol: batch.description)
      }
      LeftBatches.restore()
      self.batch = try ActiveBatch(
        applying: ImportPredicate(choose), in: scope, mayComeLater: mayComeLater, report: &report)
      self.report = report
      return
    }
    let requests = batch.replacements.map(\.request)
    self.batch = try explaining(requests, in: scope) { () throws(RebindError) in
      try reserving(batch.replacements) { () throws(RebindError) in
        try ActiveBatch(
          applying: requests, in: scope, mayComeLater: mayComeLater, report: &report)
      }
    }
    self.report = report
  }

  deinit {
    if let batch { LeftBatches.restoreOrLeave(batch, replacements) }
  }

  /// Puts back the former words of the slots now.
  ///
  /// Calls that are inside a replacement go on, and may still use `original`. A slot
  /// that someone else has changed since is left alone, and counted as skipped.
  ///
  /// - Throws: `RebindError`, with nothing changed. This value is consumed anyway, and tries once
  ///   more as it is dropped. With `covered`, somebody else's hook lies on the remaining slots,
  ///   and a later call gives these back; see `Rebinding.restore`.
  ///
  /// The corresponding C functions are `crebind_restore` and `crebind_restore_imports`.
  public consuming func restore() throws(RebindError) -> RebindingReport {
    guard let batch else { return RebindingReport() }
    LeftBatches.restore()
    let report = try batch.restore()
    self.batch = nil
    release(replacements)
    return report
  }

  /// Leaves the rebindings applied for as long as the program runs.
  public consuming func leaveApplied() { batch = nil }

  /// Checks whether every slot still leads to its replacement, and stores again into slots that
  /// a pending lazy resolver has overwritten. A slot that someone else has changed since is left
  /// alone, and counted as skipped.
  ///
  /// - Throws: `RebindError`; of a batch over imports also why a later image's import could not be
  ///   rebound.
  ///
  /// The corresponding C functions are `crebind_verify` and `crebind_verify_imports`.
  public func verify() throws(RebindError) -> RebindingReport {
    LeftBatches.restore()
    return try batch?.verify() ?? RebindingReport()
  }

  /// The slots that are rebound, each with its own original.
  ///
  /// - Throws: `RebindError`.
  ///
  /// The corresponding C functions are `crebind_slots` and `crebind_imports_slots`.
  public func slots() throws(RebindError) -> [RebindingSlot] { try batch?.slots() ?? [] }
}
#endif
