#if os(Linux) && !REBIND_ELSEWHERE
/// The indices of a function's arguments that are texts. Only functions whose texts are useful in a
/// record have any.
func textArguments(of symbol: String) -> [Int] {
  let name = String(symbol.prefix { $0 != "@" })
  return textArgumentIndices[name] ?? []
}

/// The index of the argument that says how many bytes of the text are read at most; nil for none.
func textLimitArgument(of symbol: String) -> Int? {
  symbol.prefix { $0 != "@" } == "strndup" ? 1 : nil
}

private let textArgumentIndices: [String: [Int]] = [
  "fputs": [0], "puts": [0], "popen": [0, 1], "strdup": [0], "strlen": [0], "strndup": [0],
  "system": [0], "dlopen": [0], "dlsym": [1], "mkdtemp": [0], "shm_open": [0], "sem_open": [0],
  "access": [0], "chdir": [0], "chmod": [0], "chown": [0], "creat": [0], "creat64": [0],
  "execv": [0], "execve": [0], "execvp": [0], "faccessat": [1], "fchmodat": [1],
  "fopen": [0, 1], "fopen64": [0, 1], "freopen": [0, 1], "fstatat": [1], "fstatat64": [1],
  "getaddrinfo": [0, 1], "getenv": [0], "lchown": [0], "link": [0, 1], "linkat": [1, 3],
  "lstat": [0], "lstat64": [0], "mkdir": [0], "mkdirat": [1], "mkstemp": [0], "open": [0],
  "open64": [0], "__open_2": [0], "__open64_2": [0], "openat": [1], "openat64": [1],
  "opendir": [0], "readlink": [0], "readlinkat": [1], "realpath": [0], "remove": [0],
  "rename": [0, 1], "renameat": [1, 3], "rmdir": [0], "secure_getenv": [0], "setenv": [0, 1],
  "stat": [0], "stat64": [0], "statx": [1], "symlink": [0, 1], "truncate": [0],
  "truncate64": [0], "unlink": [0], "unlinkat": [1], "unsetenv": [0], "utimensat": [1],
]
#endif
