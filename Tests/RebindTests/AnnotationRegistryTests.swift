import Rebind
import RebindRegistry
import Synchronization
import TestSupport

private enum Seen {
  static let events = Mutex<[String]>([])
}

/// Annotations of all images, in child processes: libraries come and go.
@Suite(.measured) struct AnnotationRegistryTests {
  @Test func annotationsComeAndGo() async {
    await #expect(processExitsWith: .success) {
      let registry = AnnotationRegistry(group: "tests")
      try #require(registry.entries.isEmpty)
      let library = try AnnotatedLibrary()
      let handle = try OpenLibrary(library.path)
      let image = try #require(try Image.named(library.path))
      let entries = try registry.entries
      try #require(
        entries.map(\.key) == ["alpha", "alpha-plain", "alpha-pointer", "alpha-careless"])
      try #require(entries.map(\.priority) == [5, 0, -1, -1])
      try #require(entries.map(\.hasAccessor) == [false, false, true, true])
      let first = try #require(entries[0].annotation)
      try #require(first.value == "value of alpha" && first.image == image && first.offset == 0)
      try #require(first.line != nil && first.image.segments == image.segments)
      try #require(try image.annotations().map(\.group).last == "others")
      try #require(try Annotation.all(group: "others").map(\.key) == ["alpha"])
      try #require(try registry.entry(for: "alpha")?.value == "value of alpha")
      try #require(try registry.entry(for: "beta") == nil)
      handle.close()
      try #require(registry.entries.isEmpty)
      try #require(try Image.named(library.path) == nil)
    }
  }

  @Test func orderIsThatOfPriorityThenOfImages() async {
    await #expect(processExitsWith: .success) {
      let first = try AnnotatedLibrary("libfirst.so", key: "a", flags: ["-DPRIORITY=0"])
      let second = try AnnotatedLibrary("libsecond.so", key: "b", flags: ["-DPRIORITY=7"])
      let registry = AnnotationRegistry(group: "tests")
      let handles = [try OpenLibrary(first.path), try OpenLibrary(second.path)]
      registry.register("code", priority: 0) { 1 }
      try #require(
        registry.entries.map(\.key) == [
          "b", "a", "a-plain", "b-plain", "code", "a-pointer", "a-careless", "b-pointer",
          "b-careless",
        ])
      handles[0].close()
      try #require(
        registry.entries.map(\.key) == ["b", "b-plain", "code", "b-pointer", "b-careless"])
      withExtendedLifetime(handles) {}
    }
  }

  @Test func duplicatesByPolicy() async {
    await #expect(processExitsWith: .success) {
      let first = try AnnotatedLibrary("libfirst.so")
      let second = try AnnotatedLibrary("libsecond.so")
      let strict = AnnotationRegistry(group: "tests")
      let keepFirst = AnnotationRegistry(group: "tests", duplicates: .keepFirst)
      let keepLast = AnnotationRegistry(group: "tests", duplicates: .keepLast)
      let handles = [try OpenLibrary(first.path), try OpenLibrary(second.path)]
      do throws(AnnotationRegistryError) {
        _ = try strict.entries
        Issue.record("duplicates are accepted")
      } catch {
        try #require(
          "\(error)".wholeMatch(
            of:
              #/tests/alpha is declared twice: libfirst.so at offset 0, line \d+, and libsecond.so at offset 0, line \d+/#
          ) != nil, "\(error)")
      }
      try #require(
        keepFirst.entries.map(\.annotation?.image.name)
          == Array(repeating: "libfirst.so", count: 4))
      try #require(
        keepLast.entries.map(\.annotation?.image.name)
          == Array(repeating: "libsecond.so", count: 4))
      // Whatever the order, the one with the higher priority wins.
      for registry in [keepFirst, keepLast] {
        registry.register("alpha", value: "low", priority: 4) { 1 }
        try #require(registry.entry(for: "alpha")?.value == "value of alpha")
        registry.register("alpha", value: "high", priority: 6) { 1 }
        try #require(registry.entry(for: "alpha")?.value == "high")
      }
      withExtendedLifetime(handles) {}
    }
  }

  @Test func badRecordsAreErrorsUnlessLenient() async {
    await #expect(processExitsWith: .success) {
      let broken = try AnnotatedLibrary("libbroken.so", flags: ["-DBROKEN"])
      let handle = try OpenLibrary(broken.path)
      let strict = AnnotationRegistry(group: "tests")
      let lenient = AnnotationRegistry(group: "tests", isLenient: true)
      do throws(AnnotationRegistryError) {
        _ = try strict.entries
        Issue.record("a bad record is accepted")
      } catch {
        guard error.code == .fault, let fault = error.fault else {
          Issue.record(error)
          return
        }
        try #require(fault.image.path == broken.path && fault.section == "rebind_annotations")
        try #require(fault.reason == .noMagic && fault.offset > 0 && fault.offset % 8 == 0)
        try #require(
          "\(error)".hasPrefix("\(broken.path): rebind_annotations: at offset \(fault.offset): "))
        try #require(lenient.faults == [fault])
      }
      try #require(lenient.entries.count == 4)
      #expect(throws: AnnotationError.self) { try Annotation.all() }
      let readable = try Annotation.readable(group: "tests")
      try #require(readable.annotations.count == 4 && readable.faults.count == 1)
      handle.close()
      try #require(strict.entries.isEmpty)
      try #require(lenient.faults.isEmpty)
    }
  }

  @Test func pointersOfC() async {
    await #expect(processExitsWith: .success) {
      let library = try AnnotatedLibrary()
      let registry = AnnotationRegistry(group: "tests")
      let handle = try OpenLibrary(library.path)
      let image = try #require(try Image.named(library.path))
      let pointer = try registry.pointer(for: "alpha-pointer")
      try #require(String(cString: pointer.assumingMemoryBound(to: CChar.self)) == "from C")
      try #require(image.contains(UInt(bitPattern: pointer)))
      for (key, text) in [
        ("alpha", "tests/alpha from libannotated.so at offset 0, line 33 has no pointer to give"),
        ("beta", "unknown key: tests/beta"),
      ] {
        let error = #expect(throws: AnnotationRegistryError.self) { try registry.pointer(for: key) }
        try #require("\(error!)".replacing(#/line \d+/#, with: "line 33") == text)
      }
      // Whatever is not 0 is an answer.
      try #require(try registry.pointer(for: "alpha-careless") == pointer)
      // One that has no idea of Swift, and answers all the same.
      let error = #expect(throws: AnnotationRegistryError.self) {
        try registry.make("alpha-careless", as: Int.self)
      }
      try #require("\(error!)".contains(" has no instance to give: an annotated type"))
      // The call has not kept the image.
      handle.close()
      try #require(try Image.named(library.path) == nil)
    }
  }

  // MARK: - Plug-ins

  @Test func pluginGoesAndComesBack() async {
    await #expect(processExitsWith: .success) {
      let library = try AnnotatedLibrary()
      let registry = AnnotationRegistry(group: "tests")
      for _ in 0..<3 {
        let plugin = try RebindRegistry.Plugin(path: library.path)
        let image = plugin.image
        try #require(registry.entries.count == 4 && image.path == library.path)
        do {
          let again = try RebindRegistry.Plugin(path: library.path)
          try #require(registry.entries.count == 4 && again.image == image)
        }
        try #require(registry.entries.count == 4)
        plugin.unload()
        try #require(registry.entries.isEmpty)
        try #require(try Image.named(library.path) == nil)
      }
    }
  }

  /// A library that was open before keeps its entries.
  @Test func pluginThatTheProgramHasItself() async {
    await #expect(processExitsWith: .success) {
      let library = try AnnotatedLibrary()
      let registry = AnnotationRegistry(group: "tests")
      let handle = try OpenLibrary(library.path)
      let plugin = try RebindRegistry.Plugin(path: library.path)
      plugin.unload()
      try #require(registry.entries.count == 4)
      handle.close()
      try #require(registry.entries.isEmpty)
    }
  }

  @Test func pluginThatCannotBeOpened() async {
    await #expect(processExitsWith: .success) {
      let error = #expect(throws: PluginError.self) {
        _ = try RebindRegistry.Plugin(path: "/no/such.so")
      }
      try #require(
        error?.description
          == "cannot open /no/such.so: cannot open shared object file: No such file or directory")
      let zero = #expect(throws: PluginError.self) {
        _ = try RebindRegistry.Plugin(path: "/no/\0such.so")
      }
      try #require(error?.code == .notOpened && zero?.code == .invalidPath)
    }
  }

  // MARK: - Observers

  @Test func observerIsToldOfWhatIsThereAndOfWhatComesAndGoes() async {
    await #expect(processExitsWith: .success) {
      let first = try AnnotatedLibrary("libfirst.so", key: "a")
      let second = try AnnotatedLibrary("libsecond.so", key: "b")
      let other = try Plugin(name: "libother.so")
      let registry = AnnotationRegistry(group: "tests")
      let handle = try OpenLibrary(first.path)
      func take() -> [String] {
        Seen.events.withLock { events in
          defer { events = [] }
          return events
        }
      }
      let observation = try registry.observe { event in
        // Handlers may use the registry.
        let count = (try? registry.entries.count) ?? -1
        let word = if case .added = event { "added" } else { "removed" }
        Seen.events.withLock {
          $0.append("\(word) \(event.image.name) \(event.annotations.count) of \(count)")
        }
      }
      try #require(take() == ["added libfirst.so 4 of 4"])
      let opened = try OpenLibrary(second.path)
      try #require(take() == ["added libsecond.so 4 of 8"])
      try OpenLibrary(other.path).close()
      try #require(take() == [])
      handle.close()
      try #require(take() == ["removed libfirst.so 4 of 4"])
      opened.close()
      try #require(take() == ["removed libsecond.so 4 of 0"])
      // A plug-in goes before its code does.
      let plugin = try RebindRegistry.Plugin(path: second.path)
      plugin.unload()
      try #require(take() == ["added libsecond.so 4 of 4", "removed libsecond.so 4 of 0"])
      observation.end()
      try OpenLibrary(second.path).close()
      try Image.refresh()
      try #require(registry.entries.isEmpty && take() == [])
    }
  }

  /// An image that announces itself is not missed, however short it stays.
  @Test func observerIsToldOfWhatAConstructorLoads() async {
    await #expect(processExitsWith: .success) {
      let inner = try AnnotatedLibrary("libinner.so")
      let builder = try FixtureBuilder(.gcc)
      let outer = try builder.buildLibrary("libouter.so", from: "nested-annotated.c")
      let registry = AnnotationRegistry(group: "tests")
      let observation = try registry.observe { event in
        let word = if case .added = event { "added" } else { "removed" }
        Seen.events.withLock { $0.append("\(word) \(event.image.name)") }
      }
      setenv("NESTED_LIBRARY", inner.path, 1)
      try OpenLibrary(outer.path).close()
      try #require(Seen.events.withLock { $0 } == ["added libinner.so", "removed libinner.so"])
      observation.end()
    }
  }

  /// While nothing comes or goes, a look does not read anything.
  @Test func secondLookReadsNothing() async {
    await #expect(processExitsWith: .success) {
      let library = try AnnotatedLibrary()
      let plugin = try RebindRegistry.Plugin(path: library.path)
      let registry = AnnotationRegistry(group: "tests")
      try #require(registry.entries.count == 4)
      // The thread's own time: it would read in that, and a busy machine does not count.
      let durations = try (0..<10).map { _ in
        let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        for _ in 0..<100 { _ = try registry.entries }
        return nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start
      }
      try #require(durations.min()! < 20_000_000, "\(durations)")
      withExtendedLifetime(plugin.image) {}
    }
  }

  @Test func eventsAreASequence() async {
    await #expect(processExitsWith: .success) {
      let library = try AnnotatedLibrary()
      let registry = AnnotationRegistry(group: "tests")
      var events = try registry.events().makeAsyncIterator()
      let plugin = try RebindRegistry.Plugin(path: library.path)
      let image = plugin.image
      let annotations = try image.annotations().filter { $0.group == "tests" }
      var event = await events.next()
      try #require(event == .added(image, annotations))
      plugin.unload()
      event = await events.next()
      try #require(event == .removed(image, annotations))
    }
  }
}
