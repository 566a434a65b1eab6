import Glibc
import Rebind

enum Read {
  typealias Function = @convention(c) (CInt, UnsafeMutableRawPointer?, Int) -> Int
  typealias FunctionAt = @convention(c) (CInt, UnsafeMutableRawPointer?, Int, off_t) -> Int
  typealias Vector = @convention(c) (CInt, UnsafePointer<iovec>?, CInt) -> Int
  typealias Checked = @convention(c) (CInt, UnsafeMutableRawPointer?, Int, Int) -> Int

  static let read = Rebinding<Function>("read")
  static let pread = Rebinding<FunctionAt>("pread")
  static let pread64 = Rebinding<FunctionAt>("pread64")
  static let readv = Rebinding<Vector>("readv")
  /// Compilers call it for read with -D_FORTIFY_SOURCE.
  static let checked = Rebinding<Checked>("__read_chk")
}

let reads = [
  Read.read.replaced { file, buffer, size in
    traced("read", .descriptor(file)) { Read.read.original(file, buffer, size) }
  },
  Read.pread.replaced { file, buffer, size, offset in
    traced("pread", .descriptor(file)) { Read.pread.original(file, buffer, size, offset) }
  },
  Read.pread64.replaced { file, buffer, size, offset in
    traced("pread64", .descriptor(file)) { Read.pread64.original(file, buffer, size, offset) }
  },
  Read.readv.replaced { file, parts, count in
    traced("readv", .descriptor(file)) { Read.readv.original(file, parts, count) }
  },
  Read.checked.replaced { file, buffer, size, room in
    traced("__read_chk", .descriptor(file)) { Read.checked.original(file, buffer, size, room) }
  },
]
