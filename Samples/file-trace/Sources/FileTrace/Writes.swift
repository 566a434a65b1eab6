import Glibc
import Rebind

enum Write {
  typealias Function = @convention(c) (CInt, UnsafeRawPointer?, Int) -> Int
  typealias FunctionAt = @convention(c) (CInt, UnsafeRawPointer?, Int, off_t) -> Int
  typealias Vector = @convention(c) (CInt, UnsafePointer<iovec>?, CInt) -> Int

  static let write = Rebinding<Function>("write")
  static let pwrite = Rebinding<FunctionAt>("pwrite")
  static let pwrite64 = Rebinding<FunctionAt>("pwrite64")
  static let writev = Rebinding<Vector>("writev")
}

let writes = [
  Write.write.replaced { file, buffer, size in
    traced("write", .descriptor(file)) { Write.write.original(file, buffer, size) }
  },
  Write.pwrite.replaced { file, buffer, size, offset in
    traced("pwrite", .descriptor(file)) { Write.pwrite.original(file, buffer, size, offset) }
  },
  Write.pwrite64.replaced { file, buffer, size, offset in
    traced("pwrite64", .descriptor(file)) { Write.pwrite64.original(file, buffer, size, offset) }
  },
  Write.writev.replaced { file, parts, count in
    traced("writev", .descriptor(file)) { Write.writev.original(file, parts, count) }
  },
]
