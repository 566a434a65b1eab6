/// The kinds of call that are counted.
public struct CountedKinds: OptionSet, Sendable, Hashable {
  /// A bit for each kind.
  public let rawValue: Int

  /// The kinds of these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `malloc` and its kind: `calloc`, `realloc`, `reallocarray`, `posix_memalign`, `aligned_alloc`,
  /// `memalign`, `valloc` and `free`.
  public static let memory = CountedKinds(rawValue: 1 << 0)

  /// `swift_retain` and `swift_release`, with their variants for several references, and for bridged
  /// and unknown objects.
  public static let references = CountedKinds(rawValue: 1 << 1)

  /// `swift_allocObject`: objects, and the boxes of captured variables.
  public static let objects = CountedKinds(rawValue: 1 << 2)

  /// `swift_beginAccess`: accesses that are checked for exclusivity while the program runs.
  public static let accesses = CountedKinds(rawValue: 1 << 3)

  /// With ``CountingReach/process`` the peak of the memory in use, too. All threads share a number for
  /// it. Other reaches have the peak anyway.
  public static let processPeak = CountedKinds(rawValue: 1 << 4)

  /// With ``CountingReach/task`` the calls that each image makes, too: the program, or a library.
  public static let callingImages = CountedKinds(rawValue: 1 << 5)

  /// All but ``processPeak`` and ``callingImages``.
  public static let standard: CountedKinds = [.memory, .references, .objects, .accesses]
}
