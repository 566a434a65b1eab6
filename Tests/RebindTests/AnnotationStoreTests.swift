import TestSupport

@testable import RebindRegistry

/// The store knows only the images that are loaded.
@Suite(.measured) struct AnnotationStoreTests {
  @Test func librariesThatHaveGoneLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let annotated = try AnnotatedLibrary()
      let plain = try annotated.builder.buildLibrary("libplain.so", from: "section-plugin.c").path
      for path in [annotated.path, plain] {
        try RebindRegistry.Plugin(path: path).unload()
        try #require(try visibleAnnotations().hidden.isEmpty)
      }
      let library = try OpenLibrary(annotated.path)
      try #require(try !visibleAnnotations().images.isEmpty)
      library.close()
      try #require(try visibleAnnotations().hidden.isEmpty)
    }
  }

  @Test func registriesLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      func pagesAfter(_ count: Int) throws -> Int {
        for _ in 0..<count { _ = AnnotationRegistry(group: "tests") }
        let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(Int(numbers.split(separator: " ")[1]))
      }
      // The kernel may add a page of 2 MiB once.
      var growth = Int.max
      for _ in 0..<3 where growth >= 500 {
        let before = try pagesAfter(1000)
        growth = try pagesAfter(200_000) - before
      }
      try #require(growth < 500)
    }
  }
}
