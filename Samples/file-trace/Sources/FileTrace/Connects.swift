import Glibc
import Rebind

enum Connect {
  typealias Function = @convention(c) (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt

  static let connect = Rebinding<Function>("connect")
}

let connects = [
  Connect.connect.replaced { socket, address, size in
    traced("connect", .address(address, size)) { Connect.connect.original(socket, address, size) }
  }
]
