import Glibc
import Rebind

/// The functions that open a file. Some take no mode, which does no harm: it travels in a
/// register, and they do not look at it.
enum Open {
  typealias Function = @convention(c) (UnsafePointer<CChar>?, CInt, mode_t) -> CInt
  typealias FunctionAt = @convention(c) (CInt, UnsafePointer<CChar>?, CInt, mode_t) -> CInt
  typealias Stream =
    @convention(c) (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<FILE>?
  typealias Folder = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?

  static let open = Rebinding<Function>("open")
  static let open64 = Rebinding<Function>("open64")
  static let openat = Rebinding<FunctionAt>("openat")
  static let openat64 = Rebinding<FunctionAt>("openat64")
  static let creat = Rebinding<Function>("creat")
  static let creat64 = Rebinding<Function>("creat64")
  // Compilers call it for open with -D_FORTIFY_SOURCE.
  static let open2 = Rebinding<Function>("__open_2")
  static let open642 = Rebinding<Function>("__open64_2")
  static let openat2 = Rebinding<FunctionAt>("__openat_2")
  static let openat642 = Rebinding<FunctionAt>("__openat64_2")
  // These open the file inside of libc, past every slot.
  static let fopen = Rebinding<Stream>("fopen")
  static let fopen64 = Rebinding<Stream>("fopen64")
  static let opendir = Rebinding<Folder>("opendir")
}

let opens = [
  Open.open.replaced { path, flags, mode in
    traced("open", .path(path)) { Open.open.original(path, flags, mode) }
  },
  Open.open64.replaced { path, flags, mode in
    traced("open64", .path(path)) { Open.open64.original(path, flags, mode) }
  },
  Open.openat.replaced { folder, path, flags, mode in
    traced("openat", .path(path)) { Open.openat.original(folder, path, flags, mode) }
  },
  Open.openat64.replaced { folder, path, flags, mode in
    traced("openat64", .path(path)) { Open.openat64.original(folder, path, flags, mode) }
  },
  Open.creat.replaced { path, mode, unused in
    traced("creat", .path(path)) { Open.creat.original(path, mode, unused) }
  },
  Open.creat64.replaced { path, mode, unused in
    traced("creat64", .path(path)) { Open.creat64.original(path, mode, unused) }
  },
  Open.open2.replaced { path, flags, mode in
    traced("__open_2", .path(path)) { Open.open2.original(path, flags, mode) }
  },
  Open.open642.replaced { path, flags, mode in
    traced("__open64_2", .path(path)) { Open.open642.original(path, flags, mode) }
  },
  Open.openat2.replaced { folder, path, flags, mode in
    traced("__openat_2", .path(path)) { Open.openat2.original(folder, path, flags, mode) }
  },
  Open.openat642.replaced { folder, path, flags, mode in
    traced("__openat64_2", .path(path)) { Open.openat642.original(folder, path, flags, mode) }
  },
  Open.fopen.replaced { path, mode in
    traced("fopen", .path(path)) { Open.fopen.original(path, mode) }
  },
  Open.fopen64.replaced { path, mode in
    traced("fopen64", .path(path)) { Open.fopen64.original(path, mode) }
  },
  Open.opendir.replaced { path in
    traced("opendir", .path(path)) { Open.opendir.original(path) }
  },
]
