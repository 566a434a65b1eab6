#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting
internal import RebindCounting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A search for descriptors that stay open, and for those that are closed twice.
struct DescriptorSearch: Sendable {
  /// The findings of a search.
  struct Findings: Sendable {
    var leaks: [LeakedDescriptor] = []
    /// The calls that closed a descriptor once more.
    var closedTwice: [(number: CInt, closing: LeakedDescriptor.Opening)] = []
    /// The calls that could not be followed.
    var unseenCalls = 0
  }

  /// The functions that are looked at, in the order of C.
  static let functions = Interception.functions(crebind_testing_descriptor_function)

  static var interception: Interception {
    Interception(
      symbols: functions, kind: .descriptors, mayBeUncalled: true, mayBeUndefined: true)
  }

  private let allowances: [DescriptorAllowance.Kind]

  /// - Throws: `RebindTestingError` for an allowed function that is not looked at.
  init(allowing allowances: [DescriptorAllowance]) throws(RebindTestingError) {
    self.allowances = allowances.map(\.kind)
    for case .function(let name) in self.allowances where !Self.functions.contains(name) {
      throw RebindTestingError(code: .notOpening, symbol: name)
    }
  }

  /// Reads what a scope has found so far.
  func findings(of scope: ActiveScope) -> Findings {
    waitForLibraries(scope)
    let found = Self.read(scope)
    let frames = AllocationCounts.Frame.all(at: Set(found.flatMap(\.addresses))) {
      crebind_reach_is_certain(crebind_testing_descriptor_sites()!, $0)
    }
    var findings = Findings(
      unseenCalls: Int(crebind_testing_unseen_descriptors(scope.pointer)))
    for (descriptor, addresses) in found {
      let opening = LeakedDescriptor.Opening(
        function: descriptor.name, frames: addresses.flatMap { frames[$0] ?? [] },
        isCut: descriptor.site.is_cut)
      guard !descriptor.is_closed_twice else {
        findings.closedTwice.append((descriptor.number, opening))
        continue
      }
      let leak = LeakedDescriptor(
        number: descriptor.number, path: descriptor.path, opening: opening)
      if !allows(descriptor, opening.frames.first) { findings.leaks.append(leak) }
    }
    return findings
  }

  /// Foundation closes some descriptors on threads of its own, such as those of a process that has ended. It may be
  /// about to.
  private func waitForLibraries(_ scope: ActiveScope) {
    for _ in 0..<250 {
      let isOpen = Self.read(scope).contains { descriptor, _ in
        descriptor.is_of_library && !descriptor.is_closed_twice && !allows(descriptor, nil)
      }
      guard isOpen else { return }
      usleep(1000)
    }
  }

  private func allows(
    _ descriptor: crebind_testing_descriptor, _ caller: AllocationCounts.Frame?
  ) -> Bool {
    // One that has been closed since has no path.
    let path = descriptor.path
    return path.isEmpty
      || allowances.contains {
        switch $0 {
        case .path(let pattern): fnmatch(pattern, path.withoutMark, 0) == 0
        case .function(let name): descriptor.name == name
        case .image(let name): caller?.isIn([name]) == true
        }
      }
  }

  private static func read(
    _ scope: ActiveScope
  ) -> [(descriptor: crebind_testing_descriptor, addresses: [UInt])] {
    var found: [(crebind_testing_descriptor, [UInt])] = []
    var position = 0
    var descriptor = crebind_testing_descriptor()
    while crebind_testing_next_descriptor(scope.pointer, &position, &descriptor) {
      let site = descriptor.site
      found.append(
        (
          descriptor,
          Array(UnsafeBufferPointer(start: site.frames, count: site.frame_count))
        ))
    }
    return found
  }

  /// Runs `body`, which is given a function that reads what was found so far.
  func run<Return>(
    reach: ReachKind, _ body: (_ read: () -> Findings) throws -> Return
  ) throws -> Return {
    try withScopes([Self.interception], reach: reach) { scopes in
      defer { end(scopes[0]) }
      return try body { withOriginals { findings(of: scopes[0]) } }
    }
  }

  /// The same for a body that may suspend.
  nonisolated(nonsending) func run<Return>(
    reach: ReachKind,
    _ body: nonisolated(nonsending) (_ read: () -> Findings) async throws -> Return
  ) async throws -> Return {
    try await withScopes([Self.interception], reach: reach) { scopes in
      defer { end(scopes[0]) }
      return try await body { withOriginals { findings(of: scopes[0]) } }
    }
  }

  private func end(_ scope: ActiveScope) {
    withOriginals { crebind_testing_pass_on_descriptors(scope.pointer) }
  }
}

extension crebind_testing_descriptor {
  fileprivate var name: String { DescriptorSearch.functions[function] }
  fileprivate var path: String { OpenDescriptors.target(of: "/proc/self/fd/\(number)") }
}

extension String {
  /// The path of a file without what the kernel appends once the file is deleted.
  fileprivate var withoutMark: String {
    hasSuffix(" (deleted)") ? String(dropLast(10)) : self
  }
}
#endif
