/// The kinds of call that are counted.
public struct CountedKinds: OptionSet, Sendable, Hashable {
  /// A bit for each kind.
  public let rawValue: Int

  /// The kinds of these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `malloc` and its kind: `calloc`, `realloc`, `reallocarray`, `posix_memalign`, `aligned_alloc`,
  /// `memalign`, `valloc`, `pvalloc` and `free`.
  public static let memory = CountedKinds(rawValue: 1 << 0)

  /// `swift_retain` and `swift_release`, with their variants for several references, and for bridged
  /// and unknown objects.
  public static let references = CountedKinds(rawValue: 1 << 1)

  /// `swift_allocObject`: objects, and the boxes of captured variables.
  public static let objects = CountedKinds(rawValue: 1 << 2)

  /// `swift_beginAccess`: accesses that are checked for exclusivity while the program runs.
  public static let accesses = CountedKinds(rawValue: 1 << 3)

  /// With ``Reach/process`` the peak of the memory in use, too. All threads share a number for
  /// it. Other reaches have the peak anyway.
  public static let processPeak = CountedKinds(rawValue: 1 << 4)

  /// The calls that each image makes, too: the program, or a library.
  public static let callingImages = CountedKinds(rawValue: 1 << 5)

  /// `mmap`, `munmap` and `mremap`.
  ///
  /// The C library's own calls, as in `malloc` and for the stacks of threads, go through no slot. They are
  /// not counted.
  public static let mappings = CountedKinds(rawValue: 1 << 6)

  /// The backtraces of the calls, too: ``AllocationCounts/sites``.
  ///
  /// A call then costs some microseconds more. When the counting has ended, `llvm-symbolizer` or
  /// `addr2line` is run for the lines, which may take a second. Backtraces of 8192 sites are kept at most.
  /// ``AllocationCounts/callsWithoutSite`` counts the calls of further ones.
  public static let sites = CountedKinds(rawValue: 1 << 7)

  /// ``memory``, ``references``, ``objects`` and ``accesses``.
  public static let standard: CountedKinds = [.memory, .references, .objects, .accesses]
}
