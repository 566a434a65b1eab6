#if os(Linux) && !REBIND_ELSEWHERE
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Knowledge of a function of the C library, by its name.
package struct KnownFunction: Sendable {
  /// Without a version.
  package let name: String

  package init(_ symbol: String) { name = String(symbol.prefix { $0 != "@" }) }

  /// A result.
  package enum Value: Sendable, Hashable {
    case word(Int64), float(Float), double(Double)
  }

  /// Its result when it fails.
  package func usualFailure(error: CInt?) -> Value {
    if Self.resolvers.contains(name) {
      return .word(Int64(error == nil ? EAI_FAIL : EAI_SYSTEM))
    }
    if returnsErrorCode { return .word(Int64(error ?? Self.errorCodes[name] ?? EINVAL)) }
    switch resultType {
    case .float: return .float(.nan)
    case .double: return .double(.nan)
    case .word, nil: break
    }
    return .word(Self.functionsOfPointers.contains(name) || Self.zeroing.contains(name) ? 0 : -1)
  }

  /// The `errno` that it most likely fails with; nil if that is not known, or if it sets none.
  package var usualError: CInt? { Self.usualErrors[name] }

  /// True for one that has done its work when it fails: the descriptor or stream is closed.
  package var closesAnyway: Bool {
    ["close", "fclose", "pclose", "closedir"].contains(name)
  }

  /// The index of the argument that is its stream, whose error flag a failure sets.
  package var streamArgument: Int? { Self.streamArguments[name] }

  /// True for one that writes to the descriptor that is its first argument.
  package var writesToDescriptor: Bool {
    ["write", "pwrite", "pwrite64", "writev", "pwritev"].contains(name)
  }

  /// True for one that returns a pointer, and NULL if it fails.
  package var returnsPointer: Bool { Self.functionsOfPointers.contains(name) }

  /// The names of all functions whose results are known to be words.
  package static var names: [String] {
    Set(Array(usualErrors.keys) + Array(arguments.keys) + Array(errorCodes.keys))
      .union(functionsOfPointers).union(zeroing).union(resolvers).union(others).union(variadic)
      .union(countArguments.keys).subtracting(numeric).subtracting(parsers).sorted()
  }

  /// True for one that returns the error code, and leaves `errno` alone.
  package var returnsErrorCode: Bool {
    if Self.withoutErrorCode.contains(name) { return false }
    return name.hasPrefix("pthread_") || name.hasPrefix("posix_")
      || Self.errorCodes[name] != nil
  }

  /// The registers that its result is in.
  package enum ResultType {
    case word, float, double
  }

  /// Nil if that is not known.
  package var resultType: ResultType? {
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

  /// The index of the argument that says how many bytes or items, among those in registers.
  package var countArgument: Int? { Self.countArguments[name] }

  /// The index of the argument that is its path, the first one of two, among those in registers.
  package var pathArgument: Int? { Self.pathArguments[name] }

  /// True for one that allocates or locks. Swift calls these all the time, and cannot go on
  /// without: it would not be the code under test that a fault hits first.
  package var isNeededBySwift: Bool {
    Self.allocators.contains(name) || Self.lockPrefixes.contains { name.hasPrefix($0) }
  }

  /// The arguments that it always takes in registers for integers and pointers, a letter each.
  /// `i` is an `int`, whose register has leftovers in its upper half, and `w` a whole word. Empty
  /// for a function that is not known.
  package var arguments: String { Self.arguments[name] ?? "" }

  /// True for one that takes further arguments, integers or pointers, in registers.
  package var isVariadic: Bool { Self.variadic.contains(name) }

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

  /// Those of functions that set `errno`.
  private static let usualErrors: [String: CInt] = Dictionary(
    uniqueKeysWithValues: [
      (
        ENOMEM,
        [
          "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "valloc",
          "pvalloc", "strdup", "strndup", "wcsdup", "mmap", "mmap64", "mremap", "mprotect", "sbrk",
          "fmemopen", "open_memstream", "asprintf", "vasprintf", "__asprintf_chk",
          "__vasprintf_chk", "getline", "getdelim", "__getdelim",
        ]
      ),
      (
        EMFILE,
        [
          "open", "open64", "openat", "openat64", "__open_2", "__open64_2", "__openat_2",
          "__openat64_2", "creat", "creat64", "fopen", "fopen64", "fdopen", "freopen", "freopen64",
          "opendir", "fdopendir", "socket", "socketpair", "pipe", "pipe2", "dup", "dup2", "dup3",
          "accept", "accept4", "epoll_create", "epoll_create1", "eventfd", "memfd_create",
          "inotify_init", "inotify_init1", "timerfd_create", "signalfd", "popen", "tmpfile",
          "tmpfile64", "mkstemp", "mkstemp64", "mkostemp", "mkostemp64", "fcntl", "fcntl64",
        ]
      ),
      (
        EIO,
        [
          "read", "__read_chk", "pread", "pread64", "__pread_chk", "readv", "preadv", "fread",
          "fread_unlocked", "__fread_chk", "fgets", "__fgets_chk", "getc", "fgetc", "close",
          "fclose",
          "pclose", "closedir", "fsync", "fdatasync", "readdir", "readdir64", "lseek", "lseek64",
          "fflush", "sync_file_range", "msync",
        ]
      ),
      (
        ENOSPC,
        [
          "write", "pwrite", "pwrite64", "writev", "pwritev", "fwrite", "fwrite_unlocked", "fputs",
          "fputs_unlocked", "fputc", "putc", "fputc_unlocked", "putc_unlocked", "fprintf",
          "vfprintf",
          "__fprintf_chk", "__vfprintf_chk", "printf", "__printf_chk", "puts", "putchar",
          "__overflow", "ftruncate", "ftruncate64", "truncate", "truncate64", "fallocate",
          "fallocate64", "mkdir", "mkdirat", "symlink", "symlinkat", "link", "linkat", "mkdtemp",
          "copy_file_range", "sendfile", "sendfile64",
        ]
      ),
      (
        EACCES,
        [
          "access", "faccessat", "stat", "stat64", "lstat", "lstat64", "fstatat", "fstatat64",
          "statx", "__xstat", "__lxstat", "__fxstatat", "chdir", "fchdir", "unlink", "unlinkat",
          "rmdir", "rename", "renameat", "renameat2", "remove", "readlink", "readlinkat",
          "realpath",
          "getcwd", "execve", "execv", "execvp", "execvpe", "utimensat", "futimens", "bind",
        ]
      ),
      (
        EPERM,
        [
          "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "kill",
          "setuid", "setgid", "setsockopt",
        ]
      ),
      (EOVERFLOW, ["fstat", "fstat64", "__fxstat", "__fxstat64"]),
      (ECONNREFUSED, ["connect"]),
      (ECONNRESET, ["recv", "recvfrom", "recvmsg", "send", "sendto", "sendmsg"]),
      (EAGAIN, ["fork", "vfork", "system"]),
      (
        EINTR,
        [
          "poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "nanosleep",
          "sem_wait", "wait", "waitpid", "wait4",
        ]
      ),
      (EBADF, ["flock", "isatty"]),
      (ENOTTY, ["ioctl", "tcgetattr", "tcsetattr"]),
      (EADDRINUSE, ["listen"]),
      (EINVAL, ["clock_gettime", "gettimeofday", "munmap", "setlocale", "newlocale", "sigaction"]),
    ].flatMap { code, names in names.map { ($0, code) } })

  private static let streamArguments = [
    "fread": 3, "fread_unlocked": 3, "fwrite": 3, "fwrite_unlocked": 3, "__fread_chk": 4,
    "fputs": 1,
    "fputs_unlocked": 1, "fputc": 1, "putc": 1, "fputc_unlocked": 1, "putc_unlocked": 1, "fgets": 2,
    "__fgets_chk": 3, "fgetc": 0, "getc": 0, "fprintf": 0, "vfprintf": 0, "__fprintf_chk": 0,
    "__vfprintf_chk": 0, "fflush": 0, "getline": 2, "getdelim": 3, "__getdelim": 3, "__overflow": 0,
    "fclose": 0,
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
#endif
