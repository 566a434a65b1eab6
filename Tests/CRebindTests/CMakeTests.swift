import TestSupport

/// A project of CMake has the core where it is installed, in a folder, or fetched.
@Suite(.measured, .inProducts) struct CMakeTests {
  @Test(arguments: ["installed", "folder", "fetched"])
  func cmakeFindsIt(way: String) throws {
    let folder = try TemporaryDirectory()
    let package = Places.package.path
    let installation = try InstallTests.Installation.common.get()
    let options =
      switch way {
      case "installed": ["-DCMAKE_PREFIX_PATH=\(installation.root.path)"]
      case "folder": ["-DREBIND_FOLDER=\(package)"]
      default: ["-DREBIND_REPOSITORY=\(try repository(in: folder.url))", "-DREBIND_TAG=main"]
      }
    let build = folder.url.appending(path: "build").path
    let configured = try run("cmake", ["-S", "\(package)/Samples/c-client", "-B", build] + options)
    #expect(configured.succeeded, "\(configured.output)\(configured.errorOutput)")
    let built = try run("cmake", ["--build", build, "--parallel", "2"])
    #expect(built.succeeded, "\(built.output)\(built.errorOutput)")
    #expect(try run("\(build)/c-client").output.hasPrefix("Hello, "))
  }

  /// A repository of what CMake needs.
  private func repository(in folder: URL) throws -> String {
    let script = """
      mkdir -p repository/Sources && cd repository
      cp "$0/CMakeLists.txt" "$0/VERSION" .
      cp -r "$0/Sources/CRebind" "$0/Sources/CRebindAnnotations" Sources
      git init --quiet --initial-branch main && git add .
      git -c user.name=a -c user.email=a@b commit --quiet --message all && pwd
      """
    let result = try run("sh", ["-e", "-c", script, Places.package.path], currentDirectory: folder)
    try #require(result.succeeded, "\(result.errorOutput)")
    return "file://\(result.output.split(separator: "\n").joined())"
  }
}
