import TestSupport

/// The library `annotated-plugin.c`, built for a test.
struct AnnotatedLibrary {
  let builder: FixtureBuilder
  let path: String

  init(_ name: String = "libannotated.so", key: String = "alpha", flags: [String] = []) throws {
    builder = try FixtureBuilder(.gcc)
    let headers = Places.package.appending(path: "Sources/CRebindAnnotations/include").path
    path = try builder.buildLibrary(
      name, from: "annotated-plugin.c", flags: ["-I", headers, "-DKEY=\"\(key)\""] + flags
    ).path
  }
}
