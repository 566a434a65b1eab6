#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindCounting

extension AllocationCounts {
  /// The counts of a scope.
  ///
  /// The machinery's memory is not counted. The result's memory is: its owner may free it while an
  /// outer counting goes on.
  ///
  /// - Parameter kinds: The kinds for which the scope's counters are in place.
  init(of scope: OpaquePointer, kinds: CountedKinds) {
    let draft = uncounted { Unmanaged.passRetained(Draft(of: scope, kinds: kinds)) }
    self = draft._withUnsafeGuaranteedRef { $0.copy() }
    releaseUncounted(draft)
  }

  /// The numbers of a scope, and collections whose memory is not counted.
  fileprivate init(draftOf scope: OpaquePointer, kinds: CountedKinds) {
    var counts = crebind_counting_counts()
    let hasPeak = crebind_counting_read(scope, &counts)
    let groups = kinds.groups
    var calls = FunctionCalls()
    var absences: [Absence] = []
    // A function that nothing in the process can call has no calls, and no reason to be named.
    var absentGroups: Set<UInt32> = []
    for function in crebind_counting_function.all {
      let group = crebind_counting_group_of(function)
      guard groups.contains(group) else { continue }
      if let reason = text({ crebind_counting_absence(function, $0) }) {
        // A principal function is named even if nothing defines it: without it, its total is
        // missing.
        guard crebind_counting_is_known(function) || crebind_counting_is_principal(function) else {
          continue
        }
        absences.append(Absence(function: function.name, reason: reason))
        absentGroups.insert(group.rawValue)
      } else {
        calls[function] = withUnsafeBytes(of: counts.calls) {
          Int($0.load(fromByteOffset: Int(function.rawValue) * 8, as: UInt64.self))
        }
      }
    }
    func isCounted(_ group: crebind_counting_group) -> Bool {
      groups.contains(group) && !absentGroups.contains(group.rawValue)
    }
    func sum(_ total: crebind_counting_total) -> Int {
      crebind_counting_function.all.filter { crebind_counting_total_of($0) == total }
        .reduce(0) { $0 + (calls[$1] ?? 0) }
    }

    let hasMemory = isCounted(CREBIND_COUNTING_MEMORY)
    var hasSizes = hasMemory
    if hasMemory, let reason = text(crebind_counting_size_absence) {
      absences.append(Absence(function: "malloc_usable_size", reason: reason))
      hasSizes = false
    }
    let replaced = Int(counts.replaced)
    allocations =
      hasMemory ? sum(CREBIND_COUNTING_TOTAL_ALLOCATIONS) - Int(counts.without_block) : nil
    frees = hasMemory ? sum(CREBIND_COUNTING_TOTAL_FREES) + replaced : nil
    bytes = hasMemory ? Int(counts.bytes) : nil
    let leaks = crebind_counting_leaked_blocks(scope)
    leakedBlocks = hasMemory && leaks >= 0 ? Int(leaks) : nil
    let kept = crebind_counting_kept_blocks(scope)
    let knowsBlocks = !crebind_counting_keeps_blocks(scope) || kept >= 0
    liveBlocks =
      if let allocations, let frees, knowsBlocks {
        kept >= 0 ? Int(kept) : allocations - frees
      } else {
        nil
      }
    liveUsableBytes = hasSizes && knowsBlocks ? Int(counts.live) : nil
    peakUsableBytes = hasSizes && hasPeak && knowsBlocks ? Int(counts.peak) : nil
    let hasReferences = isCounted(CREBIND_COUNTING_REFERENCES)
    retains = hasReferences ? sum(CREBIND_COUNTING_TOTAL_RETAINS) : nil
    releases = hasReferences ? sum(CREBIND_COUNTING_TOTAL_RELEASES) : nil
    objects = isCounted(CREBIND_COUNTING_OBJECTS) ? sum(CREBIND_COUNTING_TOTAL_OBJECTS) : nil
    exclusivityChecks =
      isCounted(CREBIND_COUNTING_ACCESSES) ? sum(CREBIND_COUNTING_TOTAL_ACCESSES) : nil
    let hasMappings = isCounted(CREBIND_COUNTING_MAPPINGS)
    mappings =
      hasMappings ? sum(CREBIND_COUNTING_TOTAL_MAPPINGS) - Int(counts.without_mapping) : nil
    unmappings = hasMappings ? sum(CREBIND_COUNTING_TOTAL_UNMAPPINGS) : nil
    mappedBytes = hasMappings ? Int(counts.mapped_bytes) : nil
    if hasMemory, !knowsBlocks {
      absences.append(
        Absence(
          function: "live blocks",
          reason: "they were too many, or memory too little, to keep their addresses"))
    }
    if hasSizes, !hasPeak {
      absences.append(
        Absence(
          function: "peak bytes",
          reason: kinds.contains(.processPeak)
            ? "16 other countings of the process track it already, and no more can"
            : "all threads share a number for it: ask for it with the kind .processPeak"))
    }
    images =
      kinds.contains(.callingImages)
      ? Image.all(of: scope, counted: calls).filter(\.calls.isCalled) : nil
    sites = nil
    callsWithoutSite = Int(crebind_counting_dropped_calls(scope))
    self.kinds = kinds
    self.calls = calls
    self.absences = absences
  }
}

/// The counts of a scope, in memory that is not counted.
private final class Draft {
  private let counts: AllocationCounts
  private let sites: AllocationCounts.DraftSites?

  init(of scope: OpaquePointer, kinds: CountedKinds) {
    counts = AllocationCounts(draftOf: scope, kinds: kinds)
    sites = kinds.contains(.sites) ? AllocationCounts.DraftSites(of: scope) : nil
  }

  /// A copy that shares no memory.
  func copy() -> AllocationCounts {
    var counts = counts
    counts.absences = counts.absences.map {
      AllocationCounts.Absence(function: $0.function.copy, reason: $0.reason.copy)
    }
    counts.images = counts.images?.map {
      AllocationCounts.Image(path: $0.path.copy, calls: $0.calls)
    }
    counts.sites = sites?.copy()
    return counts
  }
}

extension String {
  /// The same text in memory of its own.
  var copy: String {
    var text = self
    return text.withUTF8 { String(decoding: $0, as: UTF8.self) }
  }
}

extension AllocationCounts.Image {
  /// The images of a scope that watches them.
  fileprivate static func all(of scope: OpaquePointer, counted: FunctionCalls) -> [Self] {
    let functions = crebind_counting_function.all.filter { counted[$0] != nil }
    var numbers = [UInt64](repeating: 0, count: Int(CREBIND_COUNTING_FUNCTION_COUNT.rawValue))
    var images: [Self] = []
    while let path = crebind_counting_image(scope, images.count, &numbers) {
      var calls = FunctionCalls()
      for function in functions { calls[function] = Int(numbers[Int(function.rawValue)]) }
      images.append(Self(path: String(cString: path), calls: calls))
    }
    return images
  }
}

/// The reason that C gives, or nil.
private func text(_ reason: (UnsafeMutablePointer<CChar>) -> Bool) -> String? {
  withUnsafeTemporaryAllocation(
    of: CChar.self, capacity: Int(CREBIND_COUNTING_REASON_SIZE)
  ) { buffer in
    reason(buffer.baseAddress!) ? String(cString: buffer.baseAddress!) : nil
  }
}

extension CountedKinds {
  /// C's groups of functions.
  var groups: [crebind_counting_group] {
    let groups: [(kind: CountedKinds, group: crebind_counting_group)] = [
      (.memory, CREBIND_COUNTING_MEMORY), (.references, CREBIND_COUNTING_REFERENCES),
      (.objects, CREBIND_COUNTING_OBJECTS), (.accesses, CREBIND_COUNTING_ACCESSES),
      (.mappings, CREBIND_COUNTING_MAPPINGS),
    ]
    return groups.filter { contains($0.kind) }.map(\.group)
  }

  /// A bit for each of them.
  var groupBits: UInt32 { groups.reduce(0) { $0 | 1 << $1.rawValue } }
}

extension ReachKind {
  /// C's name for it.
  var code: crebind_counting_reach {
    switch self {
    case .task: CREBIND_COUNTING_TASK
    case .thread: CREBIND_COUNTING_THREAD
    case .process: CREBIND_COUNTING_PROCESS
    }
  }
}
#endif
