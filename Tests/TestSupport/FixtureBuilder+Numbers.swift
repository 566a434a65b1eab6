import Foundation

extension FixtureBuilder {
  /// Two libraries that define `number`, one in two versions, and their callers.
  public func buildNumberLibraries(binding: String) throws {
    let map = Places.fixtures.appending(path: "selection-library.map").path
    try buildLibrary(
      "libversioned.so", from: "selection-library.c",
      flags: ["-DVERSIONED", "-Wl,--version-script=\(map)"])
    try buildLibrary("libplain.so", from: "selection-library.c", flags: ["-DRESULT=3"])
    for (name, definition, flags) in [
      ("old", "versioned", ["-DOLD_VERSION"]), ("new", "versioned", []), ("other", "plain", []),
    ] {
      try buildLibrary(
        "lib\(name).so", from: "selection-caller.c",
        flags: flags + [binding, "-DCALLER=call_\(name)"],
        libraries: ["-l\(definition)", runPath])
    }
  }
}
