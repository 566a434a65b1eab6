import Rebind
import RebindRegistry
import TestSupport

/// The same as in `annotated-plugin.swift`, which has copies of them.
protocol SharedService: Sendable {}
final class SharedClass: SharedService {}

/// The library `annotated-plugin.swift`, built for a test.
struct SwiftAnnotatedLibrary {
  let folder: TemporaryDirectory
  let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.url.appending(path: "libswift-annotated.so").path
    let source = Places.fixture("annotated-plugin.swift").path
    try compile(
      Compiler("swiftc"),
      [
        "-swift-version", "6", "-parse-as-library", "-emit-library", "-module-name",
        "RebindTests", "-o", "libswift-annotated.so", source,
      ], in: folder.url)
  }
}

/// Plug-ins with Swift code, in child processes.
@Suite(.measured) struct SwiftPluginTests {
  @Test func pluginStaysMappedAndVanishesAllTheSame() async {
    await #expect(processExitsWith: .success) {
      let library = try SwiftAnnotatedLibrary()
      let registry = AnnotationRegistry(group: "tests")
      let plugin = try RebindRegistry.Plugin(path: library.path)
      let image = plugin.image
      try #require(registry.entries.map(\.key) == ["class", "number"])
      typealias Described = any CustomStringConvertible & Sendable
      let first = try registry.shared("number", as: Described.self)
      weak let number = first as AnyObject
      try #require("\(first)" == "from Swift")
      plugin.unload()
      try #require(registry.entries.isEmpty)
      // The image is still there, and so are they, as data.
      try #require(try image.annotations().map(\.key) == ["class", "number"])
      try #require(try Annotation.all(group: "tests").map(\.key) == ["class", "number"])
      #expect(throws: AnnotationRegistryError.self) {
        try registry.shared("number", as: Described.self)
      }
      // Instances that were handed out go on working.
      try #require("\(first)" == "from Swift" && number != nil)
      try #require(try Image.named(library.path) == image)
      let again = try RebindRegistry.Plugin(path: library.path)
      try #require(again.image == image)
      try #require(registry.entries.map(\.key) == ["class", "number"])
      let second = try registry.shared("number", as: Described.self)
      try #require(second as AnyObject !== first as AnyObject)
    }
  }

  @Test(.notInCheck) func singletonsAreDroppedWithThePlugin() async {
    await #expect(processExitsWith: .success) {
      let library = try SwiftAnnotatedLibrary()
      let registry = AnnotationRegistry(group: "tests")
      let plugin = try RebindRegistry.Plugin(path: library.path)
      weak let number =
        try registry.shared("number", as: (any CustomStringConvertible & Sendable).self)
        as AnyObject
      try #require(number != nil)
      plugin.unload()
      try #require(number == nil)
    }
  }

  /// The plug-in has a copy of the protocol, and another one of the class.
  @Test func copiesOfATypeAreToldOf() async {
    await #expect(processExitsWith: .success) {
      let library = try SwiftAnnotatedLibrary()
      let registry = AnnotationRegistry(group: "tests")
      let plugin = try RebindRegistry.Plugin(path: library.path)
      let asks: [(found: String, expected: String, ask: () throws -> Any)] = [
        (
          "RebindTests.SharedClass", "RebindTests.SharedService",
          { try registry.shared("class", as: (any SharedService).self) }
        ),
        (
          "RebindTests.SharedClass.Type", "RebindTests.SharedService.Type",
          { try registry.type(for: "class", as: (any SharedService.Type).self) }
        ),
        (
          "RebindTests.SharedClass", "RebindTests.SharedClass",
          { try registry.make("class", as: SharedClass.self) }
        ),
      ]
      for (found, expected, ask) in asks {
        let error = #expect(throws: AnnotationRegistryError.self) { _ = try ask() }
        guard error?.code == .wrongType, let mismatch = error?.mismatch else {
          Issue.record(error!)
          continue
        }
        try #require(mismatch.isOtherCopy && mismatch.foundImage == plugin.image)
        try #require(try Image.main == mismatch.expectedImage)
        let program = try Image.main.name
        try #require(
          mismatch.description == "tests/class is \(found) in "
            + "libswift-annotated.so, which is no \(expected): libswift-annotated.so and "
            + "\(program) have a copy each of the module that declares it. Link both against one "
            + "dynamic library with that module, and against the product RebindDynamic in place "
            + "of RebindRegistry", "\(mismatch)")
      }
      // A different type is not taken for a copy.
      let error = #expect(throws: AnnotationRegistryError.self) {
        try registry.make("number", as: (any SharedService).self)
      }
      guard error?.code == .wrongType, let mismatch = error?.mismatch else {
        Issue.record(error!)
        return
      }
      try #require(mismatch.found == "RebindTests.SharedNumber")
      // Its file is where its protocols are found.
      withExtendedLifetime(library) {}
    }
  }

  /// Two threads open and close plug-ins, others look, create and are told.
  @Test(.notInCheck) func manyThreads() async {
    await #expect(processExitsWith: .success) {
      let first = try AnnotatedLibrary("libfirst.so", key: "a")
      let second = try AnnotatedLibrary("libsecond.so", key: "b")
      let third = try SwiftAnnotatedLibrary()
      let libraries = [first.path, second.path, third.path]
      let registry = AnnotationRegistry(group: "tests")
      let told = ToldImages()
      let observation = try registry.observe { told.note($0) }
      // And until they have used as much processor time: they get as far on a busy machine.
      let end = nanoseconds(CLOCK_MONOTONIC) + 2_000_000_000
      let enough = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) + 2_000_000_000
      inThreads(5) { thread in
        var round = thread
        while nanoseconds(CLOCK_MONOTONIC) < end || nanoseconds(CLOCK_PROCESS_CPUTIME_ID) < enough {
          round += 1
          if thread < 2 {
            // Some are opened by hand, but none in Swift, as that would be unloaded.
            if round % 5 == 0 {
              (try? OpenLibrary(libraries[round % 2]))?.close()
            } else if let plugin = try? RebindRegistry.Plugin(path: libraries[round % 3]) {
              plugin.unload()
            }
            continue
          }
          do {
            let entries = try registry.entries
            precondition(Set(entries.map(\.key)).count == entries.count)
            for key in ["a-pointer", "b-pointer"] {
              do { _ = try registry.pointer(for: key) } catch let error as AnnotationRegistryError
                where error.code == .unknownKey
              {}
            }
            do {
              let number = try registry.shared(
                "number", as: (any CustomStringConvertible & Sendable).self)
              precondition("\(number)" == "from Swift")
              _ = try registry.make("number", as: (any CustomStringConvertible).self)
            } catch let error as AnnotationRegistryError
              where error.code == .unknownKey
            {}
          } catch {
            fatalError("\(error)")
          }
        }
      }
      // One removal for each addition, and in this order.
      try #require(registry.entries.isEmpty)
      try Image.refresh()
      observation.end()
      try #require(told.isBalanced, "\(told)")
      try #require(told.count > 10)
      withExtendedLifetime((first, second, third)) {}
    }
  }
}

/// The images that an observer was told, which is one event at a time.
private final class ToldImages: @unchecked Sendable {
  private var present: Set<Image> = []
  private(set) var count = 0
  private var hasFailed = false

  var isBalanced: Bool { !hasFailed && present.isEmpty }

  func note(_ event: AnnotationRegistry.Event) {
    count += 1
    switch event {
    case .added(let image, _): hasFailed = hasFailed || !present.insert(image).inserted
    case .removed(let image, _): hasFailed = hasFailed || present.remove(image) == nil
    }
  }
}

/// Runs `body` in so many threads, and waits for them.
private func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    group.enter()
    Thread {
      body(index)
      group.leave()
    }.start()
  }
  group.wait()
}
