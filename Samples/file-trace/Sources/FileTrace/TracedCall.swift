import CFileTrace
import Glibc

/// A call that has returned.
struct TracedCall {
  var name: StaticString
  var argument: Argument
  var result: Int
  /// The value of `errno`, which counts if the result is -1.
  var error: CInt
  var caller: UnsafePointer<CChar>?

  /// Writes the call as a line of JSON.
  func write(to line: inout Line) {
    line.append("{\"pid\":")
    line.append(Int(getpid()))
    line.append(",\"call\":\"")
    line.append(name)
    line.append("\",\"caller\":\"")
    line.append(text: caller)
    switch argument {
    case .descriptor(let number):
      line.append("\",\"descriptor\":")
      line.append(Int(number))
    case .path(let path):
      line.append("\",\"path\":\"")
      // If the kernel could not read the path, we cannot either.
      if result != -1 || error != EFAULT { line.append(text: path) }
      line.append("\"")
    case .address(let address, let size):
      line.append("\",\"address\":\"")
      if result != -1 || error != EFAULT { line.append(address: address, size: size) }
      line.append("\"")
    }
    line.append(",\"result\":")
    line.append(result)
    if result == -1 {
      line.append(",\"error\":\"")
      line.append(text: file_trace_error_name(error))
      line.append("\"")
    }
    line.append("}\n")
  }
}
