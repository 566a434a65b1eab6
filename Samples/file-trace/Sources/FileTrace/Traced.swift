import Glibc

/// The file or address that a call is about.
enum Argument {
  case path(UnsafePointer<CChar>?)
  case descriptor(CInt)
  case address(UnsafePointer<sockaddr>?, socklen_t)
}

/// Makes a call of the program's, reports it, and leaves `errno` as the call did.
///
/// Programs call these functions in signal handlers and between fork and exec. So no
/// lock is taken here, and, but for paths of a thousand bytes, no memory allocated.
func traced<Result: CallResult>(
  _ name: StaticString, _ argument: Argument, _ call: () -> Result
) -> Result {
  let result = call()
  let error = errno
  Report.add(
    TracedCall(
      name: name, argument: argument, result: result.number, error: error, caller: callingImage()))
  errno = error
  return result
}

/// The results of the traced functions as numbers: of bytes, or of a descriptor; -1 for an error.
protocol CallResult {
  var number: Int { get }
}

extension CInt: CallResult { var number: Int { Int(self) } }
extension Int: CallResult { var number: Int { self } }

extension Optional: CallResult where Wrapped: OpenFile {
  var number: Int { map { Int($0.descriptor) } ?? -1 }
}

/// An open file in C's library.
protocol OpenFile {
  var descriptor: CInt { get }
}

extension UnsafeMutablePointer: OpenFile where Pointee == FILE {
  var descriptor: CInt { fileno(self) }
}

/// `DIR *`.
extension OpaquePointer: OpenFile {
  var descriptor: CInt { dirfd(self) }
}
