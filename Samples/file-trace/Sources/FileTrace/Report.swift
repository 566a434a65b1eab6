import Glibc
import Rebind

/// The file that the calls are reported to, a line each.
enum Report {
  /// nil if no report is asked for. Kept: a program may change its environment.
  nonisolated(unsafe) static let path: UnsafePointer<CChar>? =
    getenv("FILE_TRACE").map { UnsafePointer(strdup($0)) }

  /// The program's file name, which the loader does not know.
  nonisolated(unsafe) static let programName: UnsafeMutablePointer<CChar> =
    strdup((try? Image.main.name) ?? "program")

  /// Opens the file for each line: a descriptor that is kept would be the program's
  /// to see, to close and to find in use. Calls the functions past our hooks.
  static func add(_ call: TracedCall) {
    var measure = Line(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    call.write(to: &measure)
    withUnsafeTemporaryAllocation(byteCount: measure.count, alignment: 1) { memory in
      var line = Line(memory)
      call.write(to: &line)
      let file = Open.open.original(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else { return }
      // One write, so that the lines of threads and processes do not mix.
      _ = Write.write.original(file, memory.baseAddress, memory.count)
      _ = Close.close.original(file)
    }
  }
}
