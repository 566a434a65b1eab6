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
      return .value(error == nil ? EAI_FAIL : EAI_SYSTEM)
    }
    if returnsErrorCode { return .value(error ?? Self.errorCodes[name] ?? EINVAL) }
    switch resultType {
    case .float: return .value(Float.nan)
    case .double: return .value(Double.nan)
    case .word, nil: break
    }
    return Self.functionsOfPointers.contains(name) || Self.zeroing.contains(name) ? 0 : -1
  }

  /// True for one that returns the error code, and leaves `errno` alone.
  var returnsErrorCode: Bool {
    if Self.withoutErrorCode.contains(name) { return false }
    return name.hasPrefix("pthread_") || name.hasPrefix("posix_")
      || Self.errorCodes[name] != nil
  }

  /// The registers that its result is in.
  enum ResultType {
    case word, float, double
  }

  /// Nil if that is not known.
  private var resultType: ResultType? {
    if Self.numeric.contains(name) || Self.parsers.contains(name) { return .double }
    if name == "strtof" || name.last == "f" && Self.numeric.contains(String(name.dropLast())) {
      return .float
    }
    let isKnown =
      Self.arguments[name] != nil || Self.functionsOfPointers.contains(name)
      || Self.zeroing.contains(name) || Self.resolvers.contains(name) || returnsErrorCode
      || isVariadic || countArgument != nil || isNeededBySwift || Self.others.contains(name)
    return isKnown ? .word : nil
  }

  /// Why it cannot have a result, as a sentence; nil if it can, as far as its type is known.
  func mistake(of result: FaultResult) -> String? {
    guard let resultType else { return nil }
    let given: String
    switch (result.kind, resultType) {
    case (.word, .word), (.float, .float), (.double, .double): return nil
    case (.usual, _), (.short, _), (.original, _), (.inOrder, _): return nil
    case (.word, _): given = "an integer or a pointer"
    case (.float, _): given = "a float"
    case (.double, _): given = "a double"
    case (.structure(let type, _, _), _): given = type
    }
    switch resultType {
    case .word: return "it returns an integer or a pointer, and the fault \(given)"
    case .float: return "it returns a float, and the fault \(given): write .value(Float(…))"
    case .double: return "it returns a double, and the fault \(given): write .value(Double(…))"
    }
  }

  /// The index of the argument that says how many bytes or items, among those in registers.
  var countArgument: Int? { Self.countArguments[name] }

  /// The index of the argument that is its path, the first one of two, among those in registers.
  var pathArgument: Int? { Self.pathArguments[name] }

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

  /// True for one that takes further arguments, integers or pointers, in registers.
  var isVariadic: Bool { Self.variadic.contains(name) }

  private static let variadic: Set = [
    "open", "open64", "openat", "openat64", "fcntl", "fcntl64", "ioctl", "mremap", "prctl",
    "ptrace", "semctl", "sem_open", "mq_open", "ulimit", "__fcntl_time64", "__ioctl_time64",
  ]

  private static let pathArguments: [String: Int] = Dictionary(
    uniqueKeysWithValues: [
      [
        "open", "open64", "__open_2", "__open64_2", "creat", "creat64", "fopen", "fopen64",
        "freopen", "freopen64", "opendir", "scandir", "scandir64", "ftw", "nftw", "glob", "stat",
        "stat64", "lstat", "lstat64", "statfs", "statfs64", "statvfs", "statvfs64", "access",
        "eaccess", "euidaccess", "chmod", "chown", "lchown", "chdir", "chroot", "mkdir", "mkfifo",
        "mknod", "mkdtemp", "mkstemp", "mkstemp64", "mkstemps", "mkostemp", "mkostemp64",
        "mkostemps", "rmdir", "unlink", "remove", "rename", "link", "readlink", "__readlink_chk",
        "realpath", "__realpath_chk", "canonicalize_file_name", "truncate", "truncate64", "utime",
        "utimes", "lutimes", "pathconf", "execv", "execve", "execvp", "execvpe", "dlopen", "mount",
        "umount", "umount2", "acct", "shm_open", "shm_unlink", "sem_open", "mq_open", "getxattr",
        "lgetxattr", "setxattr", "lsetxattr", "listxattr", "llistxattr", "removexattr",
      ],
      [
        "openat", "openat64", "__openat_2", "__openat64_2", "fstatat", "fstatat64", "faccessat",
        "fchmodat", "fchownat", "mkdirat", "mkfifoat", "mknodat", "unlinkat", "renameat",
        "renameat2", "linkat", "readlinkat", "__readlinkat_chk", "statx", "utimensat", "futimesat",
        "execveat", "scandirat", "inotify_add_watch", "name_to_handle_at", "__xstat", "__xstat64",
        "__lxstat", "__lxstat64", "dlmopen", "symlink", "posix_spawn", "posix_spawnp",
      ],
      ["symlinkat", "__fxstatat", "__fxstatat64"],
    ].enumerated().flatMap { index, names in names.map { ($0, index) } })

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

  /// They return an integer, and nothing else here says so.
  private static let others: Set = [
    "accept4", "clock_nanosleep", "dup3", "epoll_wait", "eventfd", "execve", "faccessat", "fchdir",
    "fclose", "flock", "fputs", "fseek", "ftell", "getsockopt", "inotify_init", "linkat", "mmap",
    "mprotect", "nanosleep", "pipe", "pipe2", "ppoll", "readv", "select", "sendmsg", "recvmsg",
    "setsockopt", "shutdown", "sleep", "statx", "system", "usleep", "wait", "writev",
  ]

  /// They return a `double`, and with an `f` behind the name a `float`.
  private static let numeric: Set = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin",
    "fmod", "frexp", "hypot", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "logb", "modf",
    "nearbyint", "nextafter", "pow", "remainder", "rint", "round", "scalbn", "sin", "sinh", "sqrt",
    "tan", "tanh", "tgamma", "trunc",
  ]

  /// They return a `double`.
  private static let parsers: Set = ["atof", "difftime", "drand48", "erand48", "strtod"]

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
