// fishhook's example: sees each open and close of the program.

import Foundation
import Rebind

enum Hooks {
  typealias Open = @convention(c) (UnsafePointer<CChar>, CInt, mode_t) -> CInt
  typealias Close = @convention(c) (CInt) -> CInt

  static let open = Rebinding<Open>("open")
  static let close = Rebinding<Close>("close")
}

try Hooks.open.apply { path, flags, mode in
  print("Calling real open('\(String(cString: path))', \(flags))")
  return Hooks.open.original(path, flags, mode)
}
try Hooks.close.apply { descriptor in
  print("Calling real close(\(descriptor))")
  return Hooks.close.original(descriptor)
}

// Open our own binary and read its first four bytes.
let program = CommandLine.arguments[0]
let descriptor = open(program, O_RDONLY)
var magic: [UInt8] = [0, 0, 0, 0]
guard read(descriptor, &magic, magic.count) == magic.count else {
  fatalError("cannot read \(program)")
}
print("ELF Magic Number: \(magic.map { String(format: "%02x", $0) }.joined())")
close(descriptor)

// Every image is served: these calls are made inside Foundation.
print("Now Foundation reads a file:")
let data = try Data(contentsOf: URL(filePath: "/etc/os-release"))
print("Foundation read \(data.count) bytes")

_ = try Hooks.open.restore()
_ = try Hooks.close.restore()
