import Foundation
import Synchronization

extension FixtureBuilder {
  private final class Build: Sendable {
    let builder = Mutex<FixtureBuilder?>(nil)
  }

  private static let builds = Mutex<[[String]: Build]>([:])

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
    let shared = builds.withLock { builds in
      let shared = builds[[compiler.name] + key] ?? Build()
      builds[[compiler.name] + key] = shared
      return shared
    }
    // Others that want the same wait for it.
    let original = try shared.builder.withLock { builder in
      if let builder { return builder }
      let new = try FixtureBuilder(compiler)
      try build(new)
      new.directory.deleteAtExit()
      builder = new
      return new
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
