import Rebind
import Synchronization
import TestSupport

private enum Seen {
  static let events = Mutex<[String]>([])
}

/// Images that come and go.
@Suite(.measured) struct ImageObservationTests {
  @Test func callbackIsToldUntilTheTokenEnds() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libobserved.so")
      let loaded = try Image.all
      let observation = try Image.observe { event in
        // It may look at the image.
        if case .added(let image) = event { precondition((try? image.symbols()) != nil) }
        Seen.events.withLock { $0.append("\(event.image.path) \(event)") }
      }
      let first = Seen.events.withLock { $0 }
      try #require(first == loaded.map { "\($0.path) added \($0)" })
      let library = try OpenLibrary(plugin.path)
      library.close()
      let events = Seen.events.withLock { Array($0.dropFirst(first.count)) }
      try #require(events.count == 2)
      try #require(events[0].hasPrefix("\(plugin.path) added libobserved.so at 0x"))
      try #require(events[1] == events[0].replacing(" added ", with: " removed "))
      observation.end()
      let again = try OpenLibrary(plugin.path)
      again.close()
      try Image.refresh()
      try #require(Seen.events.withLock { $0.count } == first.count + 2)
    }
  }

  @Test func endsWithItsScope() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libobserved-scope.so")
      do {
        let observation = try Image.observe { event in
          Seen.events.withLock { $0.append("\(event)") }
        }
        try OpenLibrary(plugin.path).close()
        try #require(Seen.events.withLock { $0.last?.hasPrefix("removed") } == true)
        withExtendedLifetime(observation) {}
      }
      let count = Seen.events.withLock { $0.count }
      try OpenLibrary(plugin.path).close()
      try Image.refresh()
      try #require(Seen.events.withLock { $0.count } == count)
    }
  }

  @Test func sequenceHasEachImage() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libobserved-sequence.so")
      let loaded = try Image.all
      var events = try Image.events().makeAsyncIterator()
      for image in loaded {
        let event = await events.next()
        try #require(event == .added(image))
      }
      let library = try OpenLibrary(plugin.path)
      let image = try #require(try Image.named(plugin.path))
      var event = await events.next()
      try #require(event == .added(image) && event?.image.path == plugin.path)
      library.close()
      event = await events.next()
      try #require(event == .removed(image))
    }
  }

  /// Leaving the loop ends the observation: dlopen's slot is as it was.
  @Test func leavingTheLoopEndsTheObservation() async {
    await #expect(processExitsWith: .success) {
      func rebound() throws -> Int { try Image.audit().filter { $0.reboundBy == .us }.count }
      try #require(rebound() == 0)
      let main = try Image.main
      for await event in try Image.events() {
        try #require(event == .added(main))
        break
      }
      try #require(rebound() == 0)
      let task = Task {
        for await _ in try Image.events() {}
      }
      task.cancel()
      try await task.value
      try #require(rebound() == 0)
    }
  }
}
