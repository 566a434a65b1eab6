/// `Rebinding` and `RebindingBatch` on other systems than Linux, so that code that names them can be built there. Nothing is
/// rebound: everything throws `unsupported`.
#if !os(Linux) || REBIND_ELSEWHERE
private func unsupported(_ symbol: String) -> RebindError {
  RebindError(code: .unsupported, symbol: symbol)
}

extension RebindError: CustomStringConvertible {
  public var description: String {
    #if os(macOS)
    let system = "macOS"
    #elseif os(Windows)
    let system = "Windows"
    #else
    let system = "another system"
    #endif
    return "cannot rebind \(symbol): Rebind works on Linux; this is \(system)"
  }
}

public struct RebindingScope: Sendable {
  public static let all = RebindingScope()
  public static let main = RebindingScope()
  public var slotKinds: SlotKinds
  public var excludesSelf, loadedImagesOnly, slotsOnly, skipsSealedImages: Bool

  public init(
    _ scope: RebindingScope? = nil, slotKinds: SlotKinds = .all, excludesSelf: Bool = false,
    loadedImagesOnly: Bool = false, slotsOnly: Bool = false, skipsSealedImages: Bool = false
  ) {
    (self.slotKinds, self.excludesSelf) = (slotKinds, excludesSelf)
    (self.loadedImagesOnly, self.slotsOnly) = (loadedImagesOnly, slotsOnly)
    self.skipsSealedImages = skipsSealedImages
  }
}

public struct Replacement: Sendable {
  let name: String
}

public struct Rebinding<Function: BitwiseCopyable>: Sendable {
  public let name: String
  public let version, library: String?

  public init(
    _ name: String, version: String? = nil, library: String? = nil,
    as type: Function.Type = Function.self
  ) {
    (self.name, self.version, self.library) = (name, version, library)
  }

  public init(
    _ name: String, version: String? = nil, library: String? = nil, like function: Function
  ) {
    self.init(name, version: version, library: library)
  }

  public var isActive: Bool { false }

  public var original: Function { fatalError("\(unsupported(name))") }

  @discardableResult
  public func apply(
    in scope: RebindingScope = .all, mayComeLater: Bool = false, _ replacement: Function
  ) throws(RebindError) -> RebindingReport { throw unsupported(name) }

  public func replaced(mayComeLater: Bool = false, by replacement: Function) -> Replacement {
    Replacement(name: name)
  }

  public func restore() throws(RebindError) -> RebindingReport { throw unsupported(name) }
  public func verify() throws(RebindError) -> RebindingReport { throw unsupported(name) }
}

public struct RebindingBatch: Sendable {
  let replacements: [Replacement]

  public init(_ replacements: [Replacement]) { self.replacements = replacements }

  public init(@RebindingBatchBuilder _ replacements: () -> [Replacement]) {
    self.init(replacements())
  }

  public func apply(
    in scope: RebindingScope = .all, mayComeLater: Bool = false
  ) throws(RebindError) -> ActiveRebindings {
    throw unsupported(replacements.map(\.name).joined(separator: ", "))
  }
}

public struct ActiveRebindings: ~Copyable, Sendable {
  public let report: RebindingReport
  public consuming func restore() throws(RebindError) -> RebindingReport { report }
  public consuming func leaveApplied() {}
  public func verify() throws(RebindError) -> RebindingReport { report }
}

public func withRebinding<Result>(
  _ replacement: Replacement, in scope: RebindingScope = .all, mayComeLater: Bool = false,
  body: () throws -> Result
) throws -> Result { throw unsupported(replacement.name) }

nonisolated(nonsending) public func withRebinding<Result>(
  _ replacement: Replacement, in scope: RebindingScope = .all, mayComeLater: Bool = false,
  body: nonisolated(nonsending) () async throws -> Result
) async throws -> Result { throw unsupported(replacement.name) }

public func withRebindings<Result>(
  in scope: RebindingScope = .all, mayComeLater: Bool = false,
  @RebindingBatchBuilder _ replacements: () -> [Replacement], body: () throws -> Result
) throws -> Result { throw unsupported(replacements().map(\.name).joined(separator: ", ")) }

nonisolated(nonsending) public func withRebindings<Result>(
  in scope: RebindingScope = .all, mayComeLater: Bool = false,
  @RebindingBatchBuilder _ replacements: () -> [Replacement],
  body: nonisolated(nonsending) () async throws -> Result
) async throws -> Result { throw unsupported(replacements().map(\.name).joined(separator: ", ")) }
#endif
