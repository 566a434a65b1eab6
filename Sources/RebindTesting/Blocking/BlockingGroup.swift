/// A group of functions of the C library and libdispatch that may block their thread.
public struct BlockingGroup: Sendable, Hashable, CustomStringConvertible {
  /// The group's name, such as `sleeping`.
  public let description: String

  private init(_ name: String) { description = name }

  /// `sleep`, `usleep`, `nanosleep` and their kind: each call counts, however short it is, but for `sleep(0)`.
  public static let sleeping = Self("sleeping")
  /// Semaphores, condition variables, joins, futexes, and the waits of libdispatch, which count however short they
  /// are.
  public static let waiting = Self("waiting")
  /// `read`, `write`, `poll`, `recv`, `send`, `accept`, `connect` and their kind.
  public static let descriptors = Self("descriptors")
  /// `waitpid` and its kind, `system`, `popen`, which count however short they are, and `posix_spawn`.
  public static let processes = Self("processes")
  /// `getaddrinfo` and `gethostbyname`: each call counts.
  public static let names = Self("names")
  /// `fsync`, `fdatasync` and `flock`, which wait for the disk or for others.
  public static let files = Self("files")
  /// `open`, `stat`, `rename`, `readdir`, `pread` and their kind, which seldom wait. Off unless it is included.
  public static let plainFiles = Self("plainFiles")
  /// Mutexes, read-write locks, `swift_once`, and the waits of ICU. Off unless it is included: the thread that holds a
  /// lock may just have been preempted.
  public static let locks = Self("locks")

  /// The groups that are on unless they are allowed.
  static let usual: Set<Self> = [
    .sleeping, .waiting, .descriptors, .processes, .names, .files,
  ]
}
