#if Commands

import Glibc
import RebindFiles

/// A program that can be started with a library of ours in it.
struct Executable {
  let path: String
  /// The image of its process: the program, or the interpreter of a script, without symbolic links.
  let image: String

  /// Finds the program as a shell would, and looks whether the loader will preload something for it.
  init(_ name: String) throws(RunError) {
    path = try Self.find(name)
    let program = try Self.check(path, depth: 0)
    let resolved = realpath(program, nil)
    defer { free(resolved) }
    image = resolved.map { String(cString: $0) } ?? program
  }

  /// Without the working folder, which a run may change.
  var absolutePath: String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }

  private static func find(_ name: String) throws(RunError) -> String {
    if name.contains("/") {
      guard access(name, F_OK) == 0 else { throw missing(name) }
      guard isProgram(name) else {
        throw RunError(status: 126, "\(name): no file that may be executed")
      }
      return name
    }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
    for folder in folders.split(separator: ":", omittingEmptySubsequences: false) {
      let path = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
      if isProgram(path) { return path }
    }
    throw missing(name)
  }

  private static func missing(_ name: String) -> RunError {
    RunError(status: 127, "\(name): no such program")
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return access(path, X_OK) == 0 && stat(path, &status) == 0
      && status.st_mode & S_IFMT == S_IFREG
  }

  /// Throws if nothing can be preloaded into the program, or into the interpreter of a script. The one that runs.
  private static func check(_ path: String, depth: Int) throws(RunError) -> String {
    if let interpreter = interpreter(ofScript: path), depth < 5 {
      guard isProgram(interpreter) else {
        throw RunError(status: 126, "\(path): its interpreter \(interpreter) is no program")
      }
      return try check(interpreter, depth: depth + 1)
    }
    var status = stat()
    stat(path, &status)
    if status.st_mode & S_ISUID != 0 && status.st_uid != geteuid()
      || status.st_mode & S_ISGID != 0 && status.st_gid != getegid()
    {
      throw RunError(
        status: 126,
        "\(path) is set-user-ID or set-group-ID: the loader preloads nothing into it. Run it as its owner."
      )
    }
    guard access(path, R_OK) == 0 else {
      throw RunError(
        status: 126, "\(path) may be executed, but not read: nobody knows whether it can be hooked")
    }
    let file: ELFFile
    do { file = try ELFFile(path: path) } catch {
      throw RunError(status: 126, "\(path) is neither an ELF program nor a script: \(error)")
    }
    guard file.machine == Self.machine, file.elfClass == .bits64 else {
      throw RunError(
        status: 126,
        "\(path) is for \(file.machine), and librebind-run.so for \(Self.machine) in 64 bits")
    }
    guard let loader = (try? file.interpreter) ?? nil else {
      throw RunError(status: 126, "\(path) is linked statically: its calls go through no slots")
    }
    guard LoaderKind(interpreter: loader, needed: []) == .glibc else {
      throw RunError(
        status: 126,
        "\(path) needs musl's loader, \(loader): it does not start with a library for glibc")
    }
    return path
  }

  /// The interpreter that the first line of a script names.
  private static func interpreter(ofScript path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 2, bytes.starts(with: "#!".utf8) else { return nil }
    let line = bytes[2..<count].prefix { $0 != UInt8(ascii: "\n") }
    return line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.first
      .map { String(decoding: $0, as: UTF8.self) }
  }

  #if arch(x86_64)
  private static let machine = Machine.amd64
  #else
  private static let machine = Machine.aarch64
  #endif
}

/// The library that is preloaded.
enum PreloadedLibrary {
  private static let name = "librebind-run.so"

  /// Beside the command, or where `make install` puts it.
  static func path() throws(RunError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = buffer[..<max(count, 0)].map { UInt8(bitPattern: $0) }
    let folder = own.lastIndex(of: UInt8(ascii: "/")).map { own[..<$0] } ?? []
    let places = ["", "../libexec/rebind/"].map {
      "\(String(decoding: folder, as: UTF8.self))/\($0)\(name)"
    }
    guard let place = places.first(where: { access($0, R_OK) == 0 }),
      let resolved = realpath(place, nil)
    else {
      throw RunError(
        "\(name) is neither at \(places[0]) nor at \(places[1]): Scripts/run-library of the package builds it"
      )
    }
    defer { free(resolved) }
    let path = String(cString: resolved)
    // The loader takes both for the end of a path.
    guard !path.contains(where: { $0 == " " || $0 == ":" }) else {
      throw RunError("\(path): the path of a preloaded library must have neither space nor colon")
    }
    return path
  }
}

#endif
