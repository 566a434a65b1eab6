import TestSupport

/// The library `swift-plugin.c`, or another one, built for a test.
struct Plugin {
  let builder: FixtureBuilder
  let path: String

  init(
    flags: [String] = ["-Wl,-z,lazy"], name: String = "libswift-plugin.so",
    source: String = "swift-plugin.c"
  ) throws {
    builder = try FixtureBuilder(.gcc)
    path = try builder.buildLibrary(name, from: source, flags: flags).path
  }
}

/// A loader's call failed.
struct LoaderError: Error, CustomStringConvertible {
  let description = dlerror().map { String(cString: $0) } ?? "no error"
}

/// An opened library; closed by hand.
struct OpenLibrary {
  private let handle: UnsafeMutableRawPointer

  init(_ path: String) throws {
    guard let handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL) else { throw LoaderError() }
    self.handle = handle
  }

  func close() { dlclose(handle) }

  /// A function of the library without arguments.
  func function(_ name: String) throws -> @convention(c) () -> pid_t {
    guard let address = dlsym(handle, name) else { throw LoaderError() }
    return unsafeBitCast(address, to: (@convention(c) () -> pid_t).self)
  }
}

/// A function's address.
func address(of function: @convention(c) () -> pid_t) -> UInt {
  UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self))
}

/// The answer of the loader's dladdr for an address: the witness for images and symbols. Glibc's
/// module has it not, as it is behind _GNU_SOURCE.
struct LoaderInfo {
  let path: String
  let base: UInt64
  let symbol: String?

  init?(_ address: UInt64) {
    typealias Function = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer) -> CInt
    guard let function = dlsym(nil, "dladdr") else { return nil }
    let dladdr = unsafeBitCast(function, to: Function.self)
    // Dl_info: the path, the base, the symbol's name and its address.
    var info = (UnsafePointer<CChar>?.none, 0 as UInt, UnsafePointer<CChar>?.none, 0 as UInt)
    let found = dladdr(UnsafeRawPointer(bitPattern: UInt(address)), &info)
    guard found != 0, let path = info.0 else { return nil }
    self.path = String(cString: path)
    base = UInt64(info.1)
    symbol = info.2.map { String(cString: $0) }
  }
}

/// A tool that is a witness has failed.
struct ToolFailure: Error, CustomStringConvertible {
  var description: String
}

/// The lines that a binutils program prints for a file.
func lines(of tool: String, _ arguments: [String]) throws -> [String] {
  let result = try run(tool, arguments, environment: ["LC_ALL": "C"])
  guard result.succeeded else {
    throw ToolFailure(description: "\(tool): \(result.errorOutput)")
  }
  return result.output.split(separator: "\n").map(String.init)
}

/// The words of a line.
func words(_ line: some StringProtocol) -> [String] {
  line.split { $0 == " " }.map { String($0) }
}

/// A hexadecimal number, with or without `0x`.
func number(_ text: some StringProtocol) -> UInt64? {
  UInt64(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
}
