import Foundation

extension FixtureBuilder {
  /// Compiles a source of Tests/Fixtures that needs no libc for another machine, to an object file of
  /// its name. The builder's compiler has to be clang.
  ///
  /// - Returns: The name of the object file.
  @discardableResult
  public func compile(
    _ source: String, for target: String, flags: [String] = []
  ) throws -> String {
    try compile(
      ["--target=\(target)", "-ffreestanding", "-fPIC", "-O1"] + flags
        + ["-c", Places.fixture("\(source).c").path, "-o", "\(source).o"])
    return "\(source).o"
  }

  /// Links by the Swift toolchain's lld, which knows all machines.
  public func link(_ arguments: [String]) throws {
    try TestSupport.compile(Compiler("ld.lld"), arguments, in: directory.url)
  }
}
