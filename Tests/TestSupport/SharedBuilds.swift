import Foundation

extension FixtureBuilder {
  private static let builds = OncePerKey<[String], FixtureBuilder>()

  /// A builder whose folder has the files that `build` makes, which runs once for all tests that give
  /// the same key.
  ///
  /// The files are links to the first ones: they can be deleted and replaced, and others written
  /// beside them, but not written over.
  ///
  /// - Parameter key: All that the files depend on.
  public static func shared(
    _ compiler: Compiler, key: [String], _ build: (FixtureBuilder) throws -> Void
  ) throws -> FixtureBuilder {
    let original = try builds.value(for: [compiler.name] + key) {
      let builder = try FixtureBuilder(compiler)
      try build(builder)
      builder.directory.keepUntilExit()
      return builder
    }
    let copy = try FixtureBuilder(compiler)
    let folder = original.directory.url
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.linkItem(
        at: folder.appending(path: name), to: copy.directory.url.appending(path: name))
    }
    return copy
  }
}
