// fishhook's example: sees each open and close of the program.

import Foundation
import Rebind

enum Hooks {
  typealias Open = @convention(c) (UnsafePointer<CChar>, CInt, mode_t) -> CInt
  typealias Close = @convention(c) (CInt) -> CInt

  static let opening = Rebinding<Open>("open")
  static let closing = Rebinding<Close>("close")
}

try Hooks.opening.apply { path, flags, mode in
  print("Calling real open('\(String(cString: path))', \(flags))")
  return Hooks.opening.original(path, flags, mode)
}
try Hooks.closing.apply { descriptor in
  print("Calling real close(\(descriptor))")
  return Hooks.closing.original(descriptor)
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

_ = try Hooks.opening.restore()
_ = try Hooks.closing.restore()
