import TestSupport

/// Images with annotations announce themselves, once as they are loaded and once as they are
/// unloaded, however many of their files declare.
@Suite(.measured) struct AnnotationListenerTests {
  @Test(.notInCheck, arguments: Compiler.all, Linker.available)
  func loadAndUnloadAreToldOnce(compiler: Compiler, linker: Linker) throws {
    let builder = try FixtureBuilder(compiler)
    var plugins: [String] = []
    for (name, languages) in [
      ("c.so", ["c"]), ("both.so", ["c", "c++", "c"]), ("none.so", []),
    ] {
      let objects = try languages.enumerated().map { index, language in
        let object = "\(name).\(index).o"
        try builder.compile(
          [
            "-x", language, "-fPIC", "-O1", "-ffunction-sections", "-DPART=\(index)",
            "-c", Places.fixture("annotated.c").path, "-o", object,
          ] + FixtureBuilder.includeFlags)
        return object
      }
      let plain = Places.fixture("plugin.c").path
      try builder.compile(
        ["-shared", "-fPIC", "-Wl,--gc-sections"] + linker.flags + objects + [plain, "-o", name])
      plugins.append(builder.directory.url.appending(path: name).path)
    }

    // The listener's own image has annotations or has none.
    for parts in [[], ["annotated.c"]] {
      let program = try builder.build(
        "listener", from: ["annotated-listener.c"] + parts, flags: linker.flags, withCore: false)
      var lines: [String] = []
      for plugin in ["c.so", "both.so", nil] as [String?] {
        for _ in 1...2 {
          lines.append("dlopen")
          if let plugin { lines.append("loaded \(plugin)") }
          lines.append("dlclose")
          if let plugin { lines.append("unloading \(plugin)") }
        }
      }
      lines.append("exit")
      if !parts.isEmpty { lines = ["loaded listener"] + lines + ["unloading listener"] }
      try expect(
        lines.map { $0 + "\n" }.joined(), from: program, arguments: plugins)
    }
  }
}
