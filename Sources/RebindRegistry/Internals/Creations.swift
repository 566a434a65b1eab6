internal import Rebind

/// The instances that are being created, of all registries.
let creations = Creations()

/// The creation of an instance.
struct Creation: Sendable {
  /// The registry, and what is created in it.
  struct ID: Hashable, Sendable {
    var registry: ObjectIdentifier
    var identity: AnnotationRegistry.Identity
  }

  var id: ID
  /// `services/mail`, for messages.
  var name: String
  /// The error of an annotation that it asked for while it was created.
  var error: AnnotationRegistryError?

  init(
    _ registry: AnnotationRegistry, _ entry: AnnotationRegistry.Entry,
    _ identity: AnnotationRegistry.Identity
  ) {
    id = ID(registry: ObjectIdentifier(registry), identity: identity)
    name = "\(entry.group)/\(entry.key)"
  }
}

private enum Outcome<Known> {
  case known(Known)
  case ours
  case cycle([String])
}

/// The creations of all threads, and the waits of one for another: a thread that would wait for
/// itself gets an error instead.
final class Creations: Sendable {
  fileprivate struct State: Sendable {
    /// The creations of each thread, each for the one before.
    var stacks: [ThreadID: [Creation]] = [:]
    /// The thread that creates each singleton.
    var owners: [Creation.ID: ThreadID] = [:]
    /// The singleton that each thread waits for.
    var waiting: [ThreadID: Creation.ID] = [:]
  }

  private let state = Monitor(State())

  /// Begins to create one of many; `end` has to follow.
  func begin(_ creation: Creation) throws(AnnotationRegistryError) {
    let cycle = state.withLock { state -> [String]? in
      if let cycle = state.cycle(to: creation, by: .current) { return cycle }
      state.stacks[ThreadID.current, default: []].append(creation)
      return nil
    }
    if let cycle { throw .cycle(cycle) }
  }

  /// Begins to create the only one, after a wait for another thread that does; `end` has to
  /// follow if the result is nil.
  ///
  /// - Parameter known: The value that exists already.
  func beginAlone<Known>(
    _ creation: Creation, unless known: () -> Known?
  ) throws(AnnotationRegistryError) -> Known? {
    let me = ThreadID.current
    let outcome = state.waiting { state -> Outcome<Known>? in
      state.waiting[me] = nil
      if let known = known() { return .known(known) }
      if let cycle = state.cycle(to: creation, by: me) { return .cycle(cycle) }
      guard state.owners[creation.id] == nil else {
        state.waiting[me] = creation.id
        return nil
      }
      state.owners[creation.id] = me
      state.stacks[me, default: []].append(creation)
      return .ours
    }
    switch outcome {
    case .known(let known): return known
    case .ours: return nil
    case .cycle(let cycle): throw .cycle(cycle)
    }
  }

  /// Ends what this thread has begun last.
  func end() {
    state.withLock { state in
      guard let creation = state.stacks[.current]?.popLast() else { return }
      if state.stacks[.current]?.isEmpty == true { state.stacks[.current] = nil }
      let isAgain = state.stacks[.current]?.contains { $0.id == creation.id } == true
      if state.owners[creation.id] == .current, !isAgain { state.owners[creation.id] = nil }
    }
  }

  /// Notes what this thread's creation has asked for in vain.
  func note(_ error: AnnotationRegistryError) {
    state.withLock { state in
      guard let last = state.stacks[.current]?.indices.last else { return }
      state.stacks[.current]?[last].error = error
    }
  }

  /// The error that this thread's creation has noted.
  func noted() -> AnnotationRegistryError? {
    state.withLock { $0.stacks[.current]?.last?.error }
  }
}

extension Creations.State {
  /// The names from one that is under way back to itself, if a thread that wants another one
  /// now would wait for itself; nil if it would not.
  fileprivate func cycle(to creation: Creation, by thread: ThreadID) -> [String]? {
    let own = stacks[thread] ?? []
    if let start = own.firstIndex(where: { $0.id == creation.id }) {
      return own[start...].map(\.name) + [creation.name]
    }
    // Another thread creates it, and waits, perhaps through further threads, for one of ours. Every
    // cycle includes us: each thread looked for one before it waited.
    var names: [String] = []
    var wanted = creation.id
    while let owner = owners[wanted] {
      if owner == thread {
        let ours = own.drop { $0.id != wanted }.map(\.name)
        return ours + names + ours.prefix(1)
      }
      names += (stacks[owner] ?? []).drop { $0.id != wanted }.map(\.name)
      guard let next = waiting[owner] else { return nil }
      wanted = next
    }
    return nil
  }
}
