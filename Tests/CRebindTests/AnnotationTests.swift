import Foundation
import TestSupport
import Testing

/// The annotations of all images, what tells of them, and what keeps their images.
@Suite(.measured) struct AnnotationTests {
  static let includeFlags = [
    "-I", Places.package.appending(path: "Sources/CRebindAnnotations/include").path,
  ]

  // clang's sanitizers are part of the program, which plug-ins cannot find then.
  @Test(arguments: [
    (Compiler.gcc, []), (.gcc, ["-Wl,--build-id=none"]), (.gcc, ["-fsanitize=address"]),
    (.clang, []), (.clang, ["-Wl,--build-id=none"]),
  ])
  func annotationsComeAndGoWithTheirImages(compiler: Compiler, flags: [String]) throws {
    let builder = try FixtureBuilder(compiler)
    let plugins = try [("plugin", []), ("bare", ["-DBARE"]), ("faulty", ["-DFAULTY"])].map {
      name, options in
      try builder.buildLibrary(
        "\(name).so", from: "annotations-plugin.c", flags: flags + options + Self.includeFlags
      ).path
    }
    try expect(
      "all seen\n",
      from: builder.build(
        "annotations", from: ["annotations.c"], flags: flags + Self.includeFlags),
      arguments: plugins)
  }

  @Test(arguments: Compiler.all)
  func eachCopyIsToldUntilTheProcessExits(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let library = try builder.build(
      "library.so", from: ["copies.c"], flags: ["-shared", "-fPIC", "-DLIBRARY"])
    let plugin = try builder.buildLibrary(
      "plugin.so", from: "annotations-plugin.c", flags: Self.includeFlags)
    try expect(
      "each was told\n", from: builder.build("copies", from: ["copies.c"]),
      arguments: [library.path, plugin.path])
  }

  @Test(arguments: Compiler.all)
  func imagesWithSwiftCodeStay(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildLibrary("libswiftNone.so", from: "hold-swift.c", flags: ["-DLIBRARY"])
    let plugins = try [
      builder.buildLibrary(
        "needing.so", from: "hold-swift.c", flags: ["-DLIBRARY", "-Wl,--no-as-needed"],
        libraries: ["-lswiftNone", builder.runPath]),
      builder.buildLibrary(
        "metadata.so", from: "hold-swift.c", flags: ["-DLIBRARY", "-DMETADATA"]),
    ]
    try expect(
      "kept\n", from: builder.build("hold-swift", from: ["hold-swift.c"]),
      arguments: plugins.map(\.path))
  }

  @Test(arguments: Compiler.all, [[], ["-DBARE"], ["-Wl,-z,norelro"]])
  func anImageMayBeHalfLoaded(compiler: Compiler, flags: [String]) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildLibrary("libslow.so", from: "half-loaded-library.c", flags: ["-DSLOW"])
    let plugin = try builder.buildLibrary(
      "plugin.so", from: "annotations-plugin.c",
      flags: flags + Self.includeFlags + ["-Wl,--no-as-needed"],
      libraries: ["-lslow", builder.runPath])
    try expect(
      "seen when it was there\n",
      from: builder.build("annotations-half", from: ["annotations-half.c"]),
      arguments: [plugin.path])
  }

  /// Under ThreadSanitizer, which does not see what the loader does, the plug-ins are not
  /// instrumented.
  @Test(arguments: [
    (Compiler.gcc, Sanitizer.none, []), (.clang, .none, ["-DBARE"]), (.gcc, .thread, []),
    (.gcc, .address, ["-DBARE"]),
  ])
  func lookingIsSafeWhileImagesComeAndGo(build: (Compiler, Sanitizer, [String])) throws {
    let (compiler, sanitizer, flags) = build
    let builder = try FixtureBuilder(compiler)
    let plugins = try ["one.so", "two.so"].map {
      try builder.buildLibrary(
        $0, from: "annotations-plugin.c", flags: flags + Self.includeFlags
      ).path
    }
    let program = builder.directory.url.appending(path: "annotations-race")
    try builder.compile(
      ["-std=gnu11", "-g", "-pthread"] + sanitizer.flags + FixtureBuilder.includeFlags
        + Self.includeFlags + [Places.fixtures.appending(path: "annotations-race.c").path]
        + [CoreArchive.file(for: compiler, flags: sanitizer.flags).path, "-o", program.path])
    try expect(
      "done\n", from: program, arguments: ["1500"] + plugins,
      environment: ["TSAN_OPTIONS": "ignore_noninstrumented_modules=1"])
  }
}
