public import Foundation

/// The tools that tests run, whatever stands first in the caller's PATH. clang, lld and LLVM's come from the Swift
/// toolchain that runs the tests; GNU's and Python come from the system.
public enum Tools {
  /// The PATH of all that tests run, as Scripts/path prints it.
  static let path = "\(toolchain.path):/usr/bin:/bin:/usr/sbin:/sbin"

  /// The folder of the toolchain's tools, found from the Swift runtime that this process has loaded.
  public static let toolchain: URL = {
    // Glibc's module has no dladdr, as it is behind _GNU_SOURCE.
    typealias Function = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer) -> CInt
    let dladdr = unsafeBitCast(dlsym(nil, "dladdr"), to: Function.self)
    // Dl_info: the path, the base, the symbol's name and its address.
    var info = (UnsafePointer<CChar>?.none, 0 as UInt, UnsafePointer<CChar>?.none, 0 as UInt)
    precondition(
      dladdr(dlsym(nil, "swift_retain"), &info) != 0, "Swift's runtime is no library here")
    // usr/lib/swift/linux/libswiftCore.so
    let runtime = URL(filePath: String(cString: info.0!)).resolvingSymlinksInPath()
    return runtime.appending(path: "../../../../bin").standardizedFileURL
  }()

  /// The file of a tool; one with a slash is named by its path.
  static func locate(_ name: String) throws -> URL {
    if name.contains("/") { return URL(filePath: name) }
    for folder in path.split(separator: ":") {
      let file = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: file) { return URL(filePath: file) }
    }
    throw MissingTool(name: name)
  }
}

/// A tool that a test needs is not installed.
public struct MissingTool: Error, CustomStringConvertible {
  public var name: String
  public var description: String { "\(name) is not there: Scripts/bootstrap installs it" }
}

/// True if Scripts/bootstrap has left a tool out: it may, but in CI.
public func isLeftOut(_ tool: String) -> Bool {
  let isInCI = ProcessInfo.processInfo.environment["CI"].map { !$0.isEmpty } ?? false
  return !isInCI && !isInstalled(tool)
}

/// True if a tool is there that Scripts/bootstrap does not install.
public func isInstalled(_ tool: String) -> Bool { (try? Tools.locate(tool)) != nil }
