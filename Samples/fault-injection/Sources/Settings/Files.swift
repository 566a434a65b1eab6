import Foundation

/// All bytes of a file.
func readFile(_ path: String) throws(SystemError) -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw SystemError(errno) }
  // Mended: closed after the loop, the file stayed open when a read failed.
  defer { close(file) }

  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = try retrying { read(file, &buffer, buffer.count) }
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// Puts a new file in the place of one: whole, or not at all.
func replaceFile(_ path: String, with bytes: [UInt8]) throws(SystemError) {
  let newPath = path + ".new"
  do throws(SystemError) {
    try writeFile(newPath, bytes)
    guard rename(newPath, path) == 0 else { throw SystemError(errno) }
  } catch {
    // Mended: half a file was left behind when the disk was full.
    unlink(newPath)
    throw error
  }
}

private func writeFile(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard file >= 0 else { throw SystemError(errno) }
  do throws(SystemError) {
    // Mended: one write was taken to write everything.
    var rest = bytes[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(
        try retrying { rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } })
    }
    guard fsync(file) == 0 else { throw SystemError(errno) }
  } catch {
    close(file)
    throw error
  }
  // Mended: some file systems report a full disk only here.
  guard close(file) == 0 else { throw SystemError(errno) }
}

/// Makes a call again when a signal has interrupted it.
private func retrying(_ call: () -> Int) throws(SystemError) -> Int {
  while true {
    let result = call()
    if result >= 0 { return result }
    guard errno == EINTR else { throw SystemError(errno) }
  }
}
