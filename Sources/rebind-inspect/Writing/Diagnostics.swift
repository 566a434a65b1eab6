#if Commands

import Glibc
import RebindFiles

/// The lines on standard error.
enum Diagnostics {
  /// Writes why a file was not read, as one line.
  static func report(_ path: FilePath, _ message: String) {
    var line = OutputBuffer(descriptor: STDERR_FILENO)
    line.append(text: "rebind-inspect: ")
    line.append(path: path, .line)
    line.append(text: ": ")
    // It may have names in it.
    var message = message
    message.withUTF8 { line.append(name: UnsafeRawBufferPointer($0), .line) }
    line.append(text: "\n")
    line.flush()
  }

  /// Ends the program because standard output could not be written, whatever other threads do.
  static func exitAfterFailedWrite(_ number: Int32) -> Never {
    // The reader of the pipe has what it wanted. SIGPIPE would have ended us, were it not
    // ignored, and this is the status that a shell makes of that.
    if number == EPIPE { _exit(128 + SIGPIPE) }
    var line = OutputBuffer(descriptor: STDERR_FILENO)
    line.append(text: "rebind-inspect: standard output: \(String(cString: strerror(number)))\n")
    line.flush()
    ExitStatus.trouble.endProgram()
  }
}

#endif
