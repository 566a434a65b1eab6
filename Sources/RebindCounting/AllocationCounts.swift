/// The calls that were counted while a body ran, and the memory that they asked for.
///
/// A number that is not known is nil, and ``absences`` has the reason. It is never 0 by mistake.
public struct AllocationCounts: Sendable, Hashable {
  /// A function that could not be counted.
  public struct Absence: Sendable, Hashable, CustomStringConvertible {
    /// The function's name.
    public let function: String
    /// The reason, as a sentence without a full stop.
    public let reason: String

    /// The function and the reason.
    public var description: String { "\(function): \(reason)" }
  }

  /// The kinds of call that were asked for.
  let kinds: CountedKinds

  /// The calls that an image made: the program, or a library.
  public struct Image: Sendable, Hashable {
    /// The image's path; empty for the program. `[elsewhere]` stands for images that were loaded while
    /// the calls were counted, and for code that is in no image. It also has the calls of images that another
    /// one may have replaced meanwhile.
    public let path: String

    /// The calls of each function that was counted.
    let calls: FunctionCalls

    /// The calls of a function that this image made; nil if it was not counted.
    ///
    /// The image is the direct caller. For each object, libswiftCore calls `malloc`, and the image
    /// with your code calls `swift_allocObject`.
    public func calls(of function: String) -> Int? { calls[function] }
  }

  /// The calls of each function that was counted.
  let calls: FunctionCalls

  /// The functions that could not be counted.
  public internal(set) var absences: [Absence]

  /// The images that made calls, if ``CountedKinds/callingImages`` was asked for.
  public internal(set) var images: [Image]?

  /// The places that the calls came from, those with the most calls first, if ``CountedKinds/sites`` was
  /// asked for.
  public internal(set) var sites: [Site]?

  /// The calls whose backtraces were not kept, because there were too many sites.
  public let callsWithoutSite: Int

  /// The blocks of memory that `malloc` and its kind gave. A call of `realloc` that is given a block
  /// counts as one of them, and as a free.
  public let allocations: Int?

  /// The blocks that were freed.
  public let frees: Int?

  /// The bytes that `malloc` and its kind were asked for.
  public let bytes: Int?

  /// How many bytes more there were in blocks at the end than at the beginning, by `malloc_usable_size`:
  /// the C library gives more than it is asked for. How much more depends on its free blocks, so that this
  /// number may differ from run to run. Negative if older blocks were freed. For ``Reach/task``,
  /// the bytes of ``liveBlocks``.
  public let liveUsableBytes: Int?

  /// How many bytes more there were in blocks at the peak than at the beginning, by
  /// `malloc_usable_size`; at least 0.
  public let peakUsableBytes: Int?

  /// The calls of `swift_retain` and its variants.
  public let retains: Int?

  /// The calls of `swift_release` and its variants.
  public let releases: Int?

  /// The calls of `swift_allocObject`.
  public let objects: Int?

  /// The calls of `swift_beginAccess`.
  public let exclusivityChecks: Int?

  /// The calls of `mmap` that mapped memory.
  public let mappings: Int?

  /// The calls of `munmap`.
  public let unmappings: Int?

  /// The bytes that `mmap` and `mremap` were asked for.
  public let mappedBytes: Int?

  /// The blocks that were given and not freed; negative if older blocks were freed. For
  /// ``Reach/task``, those that were given and that no thread has freed, without the memory that the
  /// runtimes of tasks and of queues ask for themselves.
  public let liveBlocks: Int?

  /// The blocks that were given and that no thread has freed, in the reach of the counting or out of it.
  /// Blocks that the runtime of tasks and of queues keeps for itself are left out. Nil if the blocks'
  /// addresses were not kept.
  package let leakedBlocks: Int?

  /// The calls of a function; nil if it was not counted.
  ///
  /// - Parameter function: A name, such as `malloc` or `swift_retain_n`.
  public func calls(of function: String) -> Int? { calls[function] }
}
