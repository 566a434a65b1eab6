internal import CRebindStubs

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Knowledge of a function of the C library, by its name.
struct KnownFunction {
  /// Without a version.
  let name: String

  init(_ symbol: String) { name = String(symbol.prefix { $0 != "@" }) }

  /// Its result when it fails.
  func usualFailure(error: CInt?) -> FaultResult {
    if Self.resolvers.contains(name) {
      return (error == nil ? EAI_FAIL : EAI_SYSTEM).faultResult
    }
    if returnsErrorCode { return (error ?? Self.errorCodes[name] ?? EINVAL).faultResult }
    return (Self.functionsOfPointers.contains(name) || Self.zeroing.contains(name) ? 0 : -1)
      .faultResult
  }

  /// True for one that returns the error code, and leaves `errno` alone.
  var returnsErrorCode: Bool {
    if Self.withoutErrorCode.contains(name) { return false }
    return name.hasPrefix("pthread_") || name.hasPrefix("posix_")
      || Self.errorCodes[name] != nil
  }

  /// The index of the argument that says how many bytes or items, among those in registers.
  var countArgument: Int? { Self.countArguments[name] }

  /// True for one that allocates or locks. Swift calls these all the time, and cannot go on
  /// without: it would not be the code under test that a fault hits first.
  var isNeededBySwift: Bool {
    Self.allocators.contains(name) || Self.lockPrefixes.contains { name.hasPrefix($0) }
  }

  /// The arguments that it always takes in registers for integers and pointers, a letter each.
  /// `i` is an `int`, whose register has leftovers in its upper half, and `w` a whole word. Empty
  /// for a function that is not known.
  var arguments: String { Self.arguments[name] ?? "" }

  /// False for one that looks at its caller, or returns twice: it has to return to its caller itself.
  var mayBeCalledThrough: Bool { crebind_stubs_entry_only(name) == nil }

  private static let allocators: Set = [
    "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign",
    "posix_memalign", "valloc", "pvalloc",
  ]

  private static let lockPrefixes = [
    "pthread_mutex_", "pthread_rwlock_", "pthread_cond_", "pthread_spin_", "pthread_once",
  ]

  private static let arguments: [String: String] = Dictionary(
    uniqueKeysWithValues: [
      ("", ["getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "fork", "sync"]),
      ("i", ["close", "exit", "getpgid", "fsync", "fdatasync", "dup"]),
      (
        "w",
        [
          "free", "malloc", "strdup", "getenv", "secure_getenv", "opendir", "closedir", "readdir",
          "rmdir", "unlink", "remove", "chdir", "fclose", "fflush", "time", "strlen", "unsetenv",
          "mkstemp", "mkdtemp",
        ]
      ),
      ("ii", ["fchmod", "dup2", "kill", "listen"]),
      ("iw", ["fstat", "fstat64", "ftruncate", "clock_gettime"]),
      ("wi", ["open", "open64", "access", "chmod", "mkdir", "timespec_get"]),
      (
        "ww",
        [
          "calloc", "realloc", "fopen", "fopen64", "rename", "link", "symlink", "stat", "stat64",
          "lstat", "lstat64", "truncate", "gettimeofday", "munmap", "strndup", "realpath",
        ]
      ),
      ("iii", ["socket", "fchown"]),
      (
        "iwi",
        ["lseek", "openat", "openat64", "connect", "bind", "unlinkat", "mkdirat", "waitpid"]
      ),
      ("iww", ["read", "write", "accept"]),
      ("wii", ["chown", "lchown"]),
      ("wwi", ["setenv", "poll"]),
      ("www", ["readlink", "posix_memalign"]),
      ("iwiw", ["renameat"]),
      ("iwwi", ["recv", "send", "fstatat"]),
      ("iwww", ["pread", "pwrite"]),
      ("wwww", ["fread", "fwrite", "getaddrinfo"]),
    ].flatMap { kinds, names in names.map { ($0, kinds) } })

  /// These return a code of their own, and set `errno` with EAI_SYSTEM.
  private static let resolvers: Set = ["getaddrinfo", "getnameinfo"]

  /// These return 0 when they fail: a count of items, or a value that no success gives.
  private static let zeroing: Set = [
    "fread", "fread_unlocked", "fwrite", "fwrite_unlocked", "dladdr", "if_nametoindex",
    "inet_aton", "strftime", "timespec_get",
  ]

  private static let functionsOfPointers: Set = [
    "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "valloc",
    "pvalloc", "strdup", "strndup", "fopen", "fopen64", "fdopen", "freopen", "freopen64",
    "tmpfile", "tmpfile64", "popen", "opendir", "fdopendir", "readdir", "readdir64", "fgets",
    "getenv", "secure_getenv", "getcwd", "realpath", "mkdtemp", "dlopen", "dlsym", "setlocale",
    "localtime", "localtime_r", "gmtime", "gmtime_r", "getpwnam", "getpwuid", "getgrnam",
    "getgrgid", "gethostbyname", "sem_open", "pthread_getspecific", "asctime", "asctime_r",
    "canonicalize_file_name", "ctime", "ctime_r", "dlmopen", "dlvsym", "duplocale", "fmemopen",
    "get_current_dir_name", "getgrent", "gethostbyaddr", "gethostbyname2", "getmntent",
    "getprotobyname", "getpwent", "getservbyname", "getservbyport", "if_indextoname",
    "if_nameindex", "inet_ntop", "newlocale", "open_memstream", "setmntent", "tempnam", "ttyname",
    "wcsdup",
  ]

  /// The codes that they most likely return.
  private static let errorCodes: [String: CInt] = [
    "pthread_create": EAGAIN, "pthread_key_create": EAGAIN, "pthread_mutex_trylock": EBUSY,
    "pthread_rwlock_tryrdlock": EBUSY, "pthread_rwlock_trywrlock": EBUSY,
    "pthread_mutex_timedlock": ETIMEDOUT, "pthread_cond_timedwait": ETIMEDOUT,
    "posix_memalign": ENOMEM, "posix_spawn": EAGAIN, "posix_spawnp": ENOENT,
    "posix_fallocate": ENOSPC, "posix_fallocate64": ENOSPC, "clock_nanosleep": EINTR,
    "getpwnam_r": EIO, "getpwuid_r": EIO, "getgrnam_r": EIO, "getgrgid_r": EIO,
    "ttyname_r": ENOTTY, "getlogin_r": ENOENT, "sigwait": EINVAL,
  ]

  private static let withoutErrorCode: Set = [
    "pthread_getspecific", "pthread_self", "pthread_equal", "pthread_exit", "posix_openpt",
  ]

  private static let countArguments = [
    "read": 2, "write": 2, "pread": 2, "pread64": 2, "pwrite": 2, "pwrite64": 2, "recv": 2,
    "recvfrom": 2, "send": 2, "sendto": 2, "fread": 2, "fread_unlocked": 2, "fwrite": 2,
    "fwrite_unlocked": 2, "getrandom": 1, "__read_chk": 2, "__recv_chk": 2, "__pread_chk": 2,
    "__fread_chk": 3,
  ]
}
