import TestSupport

/// A package that declares by hand, and links Rebind.
@Suite(.serialized, .measured, .inProducts) struct PackageTests {
  private static let folder = Places.fixture("annotated-package")
  private static let scratch = Places.package.appending(path: ".build/annotated-package")
  private static let swiftbuildScratch = Places.package.appending(
    path: ".build/annotated-package-swiftbuild")

  /// Its two files, a library target and C are one group in the program; the shared library's
  /// Swift has its note from CRebindAnnotations. Nothing of swift-syntax is built.
  @Test(
    .enabled(if: buildsAsUsers, ".ci/run products runs it: three builds of Rebind"),
    arguments: [
      [], ["--configuration", "release", "--static-swift-stdlib"],
      ["--build-system", "swiftbuild"],
    ])
  func recordsAreLinked(flags: [String]) throws {
    let scratch = flags.contains("swiftbuild") ? Self.swiftbuildScratch : Self.scratch
    let options =
      ["--package-path", Self.folder.path, "--scratch-path", scratch.path, "--disable-index-store"]
      + flags
    // In a dependency our warnings are hidden, which swiftbuild cannot do with errors.
    let build = try run(
      "swift", ["build"] + options, environment: ["REBIND_CHECKS_WARNINGS": ""])
    try #require(build.succeeded, "\(build.output)\(build.errorOutput)")
    let place = try run("swift", ["build"] + options + ["--show-bin-path"])
    try #require(place.succeeded, "\(place.errorOutput)")
    let products = URL(filePath: place.output.trimmingCharacters(in: .whitespacesAndNewlines))

    let result = try run(products.appending(path: "annotated").path)
    #expect(
      result.output.split(separator: "\n").sorted() == [
        "package c 'in C' 1", "package one '' 2", "package two '2' 3, type Two, instance made",
      ])

    let library = products.appending(path: "libAnnotatedLibrary.so").path
    let notes = try run("readelf", ["-nW", library]).output
    #expect(notes.matches(of: /Rebind\s+0x/).count == 1)
    let arrays = try run("readelf", ["-sW", library]).output
    #expect(arrays.contains("rebind_tell_loaded"))

    let files = FileManager.default.enumerator(at: scratch, includingPropertiesForKeys: nil)
    let built = (files?.allObjects as? [URL] ?? [])
      .filter { ["o", "swiftmodule"].contains($0.pathExtension) }
    #expect(built.contains { $0.lastPathComponent == "Rebind.swiftmodule" })
    #expect(!built.contains { $0.path.contains("SwiftSyntax") })
  }
}
