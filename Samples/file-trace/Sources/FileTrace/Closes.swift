import Glibc
import Rebind

enum Close {
  typealias Function = @convention(c) (CInt) -> CInt
  typealias Stream = @convention(c) (UnsafeMutablePointer<FILE>) -> CInt
  typealias Folder = @convention(c) (OpaquePointer?) -> CInt

  static let close = Rebinding<Function>("close")
  // These close the file inside of libc, past every slot.
  static let fclose = Rebinding<Stream>("fclose")
  static let closedir = Rebinding<Folder>("closedir")
}

let closes = [
  Close.close.replaced { file in
    traced("close", .descriptor(file)) { Close.close.original(file) }
  },
  Close.fclose.replaced { stream in
    traced("fclose", .descriptor(stream.descriptor)) { Close.fclose.original(stream) }
  },
  Close.closedir.replaced { folder in
    traced("closedir", .descriptor(folder?.descriptor ?? -1)) {
      Close.closedir.original(folder)
    }
  },
]
