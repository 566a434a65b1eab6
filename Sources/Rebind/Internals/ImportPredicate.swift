#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import Synchronization

/// The predicate of a batch over imports, which the core asks on any thread, and what it has chosen.
final class ImportPredicate: Sendable {
  private struct State {
    /// The number of questions.
    var questions = 0
    var chosen: [(import: Import, replacement: Replacement)] = []
    /// Why the first choice that could not be rebound could not.
    var failure: RebindError?
  }

  private let choose: @Sendable (Import) -> Replacement?
  /// A dry run keeps no rebinding from being applied.
  private let isPlan: Bool
  private let images = ImageTable()
  private let state = Mutex(State())

  init(_ choose: @escaping @Sendable (Import) -> Replacement?, isPlan: Bool = false) {
    self.choose = choose
    self.isPlan = isPlan
  }

  /// The names, in the order in which they were chosen.
  var names: [String] { state.withLock { $0.chosen.map(\.import.name) } }

  /// Why nothing was chosen, as an English sentence without a full stop.
  var explanation: String {
    let questions = state.withLock { $0.questions }
    return questions == 0
      ? "no image in scope imports anything"
      : "none of the \(questions) definitions that images in scope import was chosen"
  }

  /// Why a choice could not be rebound: said once.
  func takeFailure() -> RebindError? {
    state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
  }

  func checkChoices() throws(RebindError) {
    if let failure = takeFailure() { throw failure }
  }

  func answer(_ import: crebind_import, _ choice: UnsafeMutablePointer<crebind_import_choice>) {
    let asked = Import(`import`, images)
    state.withLock { $0.questions += 1 }
    guard let replacement = choose(asked) else { return }
    do throws(RebindError) {
      try take(replacement, for: asked)
      choice.pointee.replacement = replacement.request.replacement
      choice.pointee.original = replacement.request.original
    } catch {
      state.withLock { state in
        if state.failure == nil { state.failure = error }
      }
    }
  }

  private func take(_ replacement: Replacement, for import: Import) throws(RebindError) {
    try refuseConvention(of: [`import`.name], on: .current)
    let taken = state.withLock { state in
      state.chosen.first { $0.replacement.storage.address == replacement.storage.address }
    }
    if let taken {
      // Asked again, after a load that could not be served, or as a plug-in has come again.
      let isAskedAgain =
        taken.import.name == `import`.name && taken.import.version == `import`.version
        && (taken.import.definer == `import`.definer || !isLoaded(taken.import.definer))
      guard isAskedAgain else { throw RebindError(code: .duplicateName, symbol: `import`.name) }
      return
    }
    if !isPlan { try replacement.storage.reserve(symbol: `import`.name) }
    state.withLock { $0.chosen.append((`import`, replacement)) }
    if !isPlan { replacement.storage.setActiveInBatch() }
  }

  private func isLoaded(_ image: Image) -> Bool {
    (try? loadedImages())?.contains { $0.id == image.id } ?? true
  }

  /// Lets go of the rebindings that were chosen.
  func releaseChosen() {
    release(state.withLock { $0.chosen.map(\.replacement) })
  }
}

extension Import {
  fileprivate init(_ import: crebind_import, _ images: ImageTable) {
    self.init(
      name: String(cString: `import`.name), version: `import`.version.map { String(cString: $0) },
      type: SymbolType(rawValue: `import`.type),
      slotKind: SlotKinds(rawValue: `import`.kind.rawValue),
      image: images.image(`import`.image), definer: images.image(`import`.definer))
  }
}

/// The predicate as C calls it, with the `ImportPredicate` as context.
let askImportPredicate:
  @convention(c) (
    UnsafePointer<crebind_import>, UnsafeMutablePointer<crebind_import_choice>,
    UnsafeMutableRawPointer?
  ) -> Void = { `import`, choice, context in
    guard let context else { return }
    Unmanaged<ImportPredicate>.fromOpaque(context).takeUnretainedValue()
      .answer(`import`.pointee, choice)
  }
#endif
