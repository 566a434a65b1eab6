import TestSupport

/// A project of CMake has the core where it is installed, in a folder, or fetched.
@Suite(.measured, .inProducts) struct CMakeTests {
  @Test(arguments: ["installed", "moved", "folder", "fetched"])
  func cmakeFindsIt(way: String) throws {
    let folder = try TemporaryDirectory()
    let package = Places.package.path
    let installation = try InstallTests.Installation.common.get()
    let options =
      switch way {
      case "installed": ["-DCMAKE_PREFIX_PATH=\(installation.root.path)"]
      case "moved": ["-DCMAKE_PREFIX_PATH=\(try copy(of: installation.root, in: folder.url))"]
      // Many projects define it for all that they build, and have warnings be errors.
      case "folder": ["-DREBIND_FOLDER=\(package)", "-DCMAKE_C_FLAGS=-D_GNU_SOURCE -Werror"]
      default: ["-DREBIND_REPOSITORY=\(try repository(in: folder.url))", "-DREBIND_TAG=main"]
      }
    let build = folder.url.appending(path: "build").path
    let configured = try run("cmake", ["-S", "\(package)/Samples/c-client", "-B", build] + options)
    #expect(configured.succeeded, "\(configured.output)\(configured.errorOutput)")
    let built = try run("cmake", ["--build", build, "--parallel", "2"])
    #expect(built.succeeded, "\(built.output)\(built.errorOutput)")
    #expect(try run("\(build)/c-client").output.hasPrefix("Hello, "))
  }

  /// Both are the archive there, under the names that they have after an installation.
  @Test func aSubfolderHasBothTargets() throws {
    let folder = try TemporaryDirectory()
    let project = """
      cmake_minimum_required(VERSION 3.16)
      project(p C)
      add_subdirectory("\(Places.package.path)" rebind)
      if(NOT TARGET rebind::rebind OR NOT TARGET rebind::static)
        message(FATAL_ERROR "a target is missing")
      endif()

      """
    try Data(project.utf8).write(to: folder.url.appending(path: "CMakeLists.txt"))
    let result = try run("cmake", ["-S", folder.url.path, "-B", "\(folder.url.path)/build"])
    #expect(result.succeeded, "\(result.errorOutput)")
  }

  /// Below 1.0, another minor version is another interface.
  @Test(arguments: try versions())
  func versionIsCompared(wanted: String, isFound: Bool) throws {
    let folder = try TemporaryDirectory()
    let project = "project(p C)\nfind_package(rebind \(wanted) REQUIRED)\n"
    try Data("cmake_minimum_required(VERSION 3.16)\n\(project)".utf8)
      .write(to: folder.url.appending(path: "CMakeLists.txt"))
    let prefix = try InstallTests.Installation.common.get().root.path
    let result = try run(
      "cmake", ["-S", folder.url.path, "-B", "\(folder.url.path)/build"],
      environment: ["CMAKE_PREFIX_PATH": prefix])
    #expect(result.succeeded == isFound, "\(result.errorOutput)")
  }

  /// Versions that a project may ask for, and whether the present one is what it wants.
  private static func versions() throws -> [(String, Bool)] {
    let version = try Places.version
    let parts = version.split(separator: ".").compactMap { Int($0) }
    let (major, minor) = (parts[0], parts[1])
    let isStable = major > 0
    return [
      ("\(major).\(minor)", true), (version, true), ("\(major).\(minor + 1)", false),
      ("\(major + 1)", false), ("\(major).\(minor - 1)", isStable),
    ].filter { !$0.0.contains("-") }
  }

  private func copy(of prefix: URL, in folder: URL) throws -> String {
    let place = folder.appending(path: "moved here")
    try FileManager.default.copyItem(at: prefix, to: place)
    return place.path
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
