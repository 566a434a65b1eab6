import Rebind
import RebindRegistry
import Synchronization
import TestSupport

private protocol Animal: Sendable {
  init?()
  var name: String { get }
}

private final class Dog: Animal {
  static let created = Mutex(0)
  let name: String

  init?() {
    let number = Self.created.withLock { count in
      count += 1
      return count
    }
    name = "dog \(number)"
  }
}

/// Needs another one that is not there.
private final class Puppy: Animal {
  let name = "puppy"
  init?() {
    let registry = AnnotationRegistry(group: "rebind.tests.creation")
    guard (try? registry.shared("mother", as: (any Animal).self)) != nil else { return nil }
  }
}

/// "rebind.tests.creation", the key in 7 bytes, and the zeros.
private typealias Record = (
  UInt32, UInt32, Int32, UInt32,
  @convention(c) @Sendable (UInt32, UnsafeMutableRawPointer) -> Bool, InlineArray<32, UInt8>
)

@section("rebind_annotations") @used
private let dogRecord: Record = (
  0x3141_4252, 56, 0, 7,
  { request, result in
    switch request {
    case 1: result.initializeMemory(as: Any.Type.self, to: Dog.self)
    case 2:
      guard let dog = Dog() else { return false }
      result.initializeMemory(as: Any.self, to: dog)
    default: return false
    }
    return true
  },
  [
    0x72, 0x65, 0x62, 0x69, 0x6e, 0x64, 0x2e, 0x74, 0x65, 0x73, 0x74, 0x73, 0x2e, 0x63, 0x72,
    0x65, 0x61, 0x74, 0x69, 0x6f, 0x6e, 0, 0x64, 0x6f, 0x67, 0, 0, 0, 0, 0, 0, 0,
  ]
)

@section("rebind_annotations") @used
private let puppyRecord: Record = (
  0x3141_4252, 56, -3, 0,
  { request, result in
    guard request == 2, let puppy = Puppy() else { return false }
    result.initializeMemory(as: Any.self, to: puppy)
    return true
  },
  [
    0x72, 0x65, 0x62, 0x69, 0x6e, 0x64, 0x2e, 0x74, 0x65, 0x73, 0x74, 0x73, 0x2e, 0x63, 0x72,
    0x65, 0x61, 0x74, 0x69, 0x6f, 0x6e, 0, 0x70, 0x75, 0x70, 0, 0, 0, 0, 0, 0, 0,
  ]
)

/// Singletons of annotations and code are created when they are asked for.
@Suite(.measured) struct AnnotationCreationTests {
  private func registry(_ group: String = #function) -> AnnotationRegistry {
    AnnotationRegistry(group: group)
  }

  private func error(_ body: () throws -> Void) throws -> AnnotationRegistryError {
    try #require(#expect(throws: AnnotationRegistryError.self, performing: body))
  }

  // MARK: - Annotations of this program

  private let own = AnnotationRegistry(group: "rebind.tests.creation")

  @Test func typeOfAnAnnotation() throws {
    #expect(try own.type(for: "dog", as: (any Animal.Type).self) == Dog.self)
    #expect(try own.type(for: "dog", as: Dog.Type.self) == Dog.self)
    #expect(try own.type(for: "dog", as: Any.Type.self) == Dog.self)
    #expect(try own.type(for: "dog") == Dog.self)
    let entry = try #require(try own.entry(for: "dog"))
    #expect(entry.annotation?.line == 7 && entry.hasAccessor)
    #expect(try entry.annotation?.image == Image.main)
  }

  @Test func instancesOfAnAnnotation() throws {
    let first = try own.make("dog", as: (any Animal).self)
    let second: Dog = try own.make("dog")
    #expect(first.name != second.name)
    let shared = try own.shared("dog", as: (any Animal).self)
    #expect(try own.shared("dog", as: Dog.self) === shared as? Dog)
    // Each registry has its own.
    let other = try AnnotationRegistry(group: own.group).shared("dog", as: Dog.self)
    #expect(other !== shared as? Dog)
  }

  @Test func wrongTypesAreNamed() throws {
    let place = try Image.main.name
    let type = try error { _ = try own.type(for: "dog", as: (any Error.Type).self) }
    #expect(
      "\(type)".wholeMatch(
        of:
          #/rebind.tests.creation/dog is RebindTests\.\(unknown context at .*\)\.Dog\.Type in (.*), which is no Swift\.Error\.Type/#
      )?.1 == "\(place)"[...], "\(type)")
    let instance = try error { _ = try own.make("dog", as: Int.self) }
    #expect("\(instance)".hasSuffix(" in \(place), which is no Swift.Int"))
    guard "\(instance.code)" == "wrongType", let mismatch = instance.mismatch else {
      Issue.record(instance)
      return
    }
    #expect(!mismatch.isOtherCopy && mismatch.expectedImage?.name == "libswiftCore.so")
    #expect(try mismatch.foundImage == Image.main)
  }

  @Test func whatIsNotThereIsNamed() throws {
    let type = try error { _ = try own.type(for: "pup", as: Any.Type.self) }
    #expect("\(type)".hasSuffix(" has no type to give"))
    let pointer = try error { _ = try own.pointer(for: "dog") }
    #expect("\(pointer)".hasSuffix(" has no pointer to give"))
    let key = try error { _ = try own.make("cat", as: Any.self) }
    #expect("\(key)" == "unknown key: rebind.tests.creation/cat")
    for misspelt in ["dogs", "Dog", "dgo"] {
      let error = try error { _ = try own.make(misspelt, as: Any.self) }
      #expect("\(error)".hasSuffix("/\(misspelt): did you mean dog?"))
    }
  }

  /// An initialiser that gives up says nothing: the error is that of the entry that it asked for in
  /// vain.
  @Test func failableInitializerHasAReason() throws {
    for ask in [own.make, own.shared] as [(String, (any Animal).Type) throws -> any Animal] {
      let error = try error { _ = try ask("pup", (any Animal).self) }
      #expect("\(error)" == "unknown key: rebind.tests.creation/mother")
    }
  }

  // MARK: - Code

  @Test func codeIsRegistered() throws {
    let registry = registry()
    registry.register("number", value: "v", priority: 3) { 4 }
    registry.register("type", type: Dog.self)
    #expect(try registry.make("number", as: Int.self) == 4)
    #expect(try registry.type(for: "number", as: Int.Type.self) == Int.self)
    #expect(try registry.type(for: "type", as: (any Animal.Type).self) == Dog.self)
    let entry = try #require(try registry.entries.first)
    #expect(entry.value == "v" && entry.priority == 3 && entry.annotation == nil)
    #expect(
      "\(entry)".hasPrefix(
        "codeIsRegistered()/number from RebindTests/AnnotationCreationTests.swift:"))
    let none = try error { _ = try registry.make("type", as: Dog.self) }
    #expect("\(none)".contains(" has no instance to give: an annotated type"))
    registry.unregister("number")
    #expect(try registry.entries.map(\.key) == ["type"])
  }

  /// All are registered, and then taken back: 10,000 may cost 12 times as much as 1,000.
  @Test func manyRegistrationsCostTheSameEach() {
    func time(of count: Int) -> UInt64 {
      let registry = AnnotationRegistry(group: "many")
      let keys = (0..<count).map { "key \($0)" }
      // The thread's own time: other tests and programs run beside it.
      let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
      for key in keys { registry.register(key, type: Int.self) }
      for key in keys { registry.unregister(key) }
      return nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start
    }
    _ = time(of: 1)
    // Beside other programs, caches are cold in some of the runs.
    var (few, many) = (UInt64.max, UInt64.max)
    for _ in 0..<40 where few == .max || many > few * 12 {
      few = min(few, time(of: 1_000))
      many = min(many, time(of: 10_000))
    }
    #expect(many <= few * 12, "\(many) ns and \(few) ns")
  }

  /// In the order of the calls, several for a key too.
  @Test func registrationsKeepTheirOrder() throws {
    let registry = AnnotationRegistry(group: "order", duplicates: .keepFirst)
    for number in 0..<50 { registry.register("key \(number % 25)", value: "\(number)") { number } }
    #expect(try registry.entries.map(\.value) == (0..<25).map(String.init))
    registry.unregister("key 0")
    #expect(try registry.entries.map(\.value) == (1..<25).map(String.init))
  }

  @Test func codeCannotRegisterAnEmptyKey() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      AnnotationRegistry(group: "tests").register("", type: Int.self)
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("an annotation's key must not be empty"))
  }

  @Test func singletonIsDroppedWithItsRegistration() throws {
    let registry = registry()
    registry.register("dog") { Dog()! }
    weak let dog = try registry.shared("dog", as: Dog.self)
    #expect(dog != nil)
    registry.unregister("dog")
    #expect(dog == nil)
  }

  /// Asks its registry as it goes.
  private final class Asking: Sendable {
    let registry: AnnotationRegistry
    init(_ registry: AnnotationRegistry) { self.registry = registry }
    deinit { _ = try? registry.entries }
  }

  @Test func whatCodeHoldsIsFreedAtOnceAndWithoutALock() async {
    await #expect(processExitsWith: .success) {
      let registry = AnnotationRegistry(group: "tests")
      weak var asking: Asking?
      do {
        let held = Asking(registry)
        asking = held
        registry.register("asking") { held.registry.group }
      }
      try #require(registry.entries.count == 1 && asking != nil)
      registry.unregister("asking")
      try #require(asking == nil)
      try #require(registry.entries.isEmpty)
    }
  }

  @Test func singletonOfWhatIsTakenBackMeanwhileIsNotKept() throws {
    let registry = registry()
    registry.register("dog") {
      registry.unregister("dog")
      return Dog()!
    }
    weak let dog = try registry.shared("dog", as: Dog.self)
    #expect(dog == nil)
  }

  @Test func errorOfCodeIsKept() throws {
    struct Failure: Error {}
    let registry = registry()
    registry.register("bad") { () throws -> Int in throw Failure() }
    let error = try error { _ = try registry.shared("bad", as: Int.self) }
    guard error.code == .creation, error.underlyingError is Failure, let entry = error.entries.first
    else {
      Issue.record(error)
      return
    }
    #expect(entry.key == "bad")
    // It is tried again.
    registry.unregister("bad")
    registry.register("bad") { 1 }
    #expect(try registry.shared("bad", as: Int.self) == 1)
  }

  // MARK: - Cycles

  @Test func cycleOfSingletons() throws {
    let registry = registry("cycle")
    registry.register("a") { try registry.shared("b", as: Int.self) }
    registry.register("b") { try registry.make("c", as: Int.self) }
    registry.register("c") { try registry.shared("a", as: Int.self) }
    #expect(
      "\(try error { _ = try registry.shared("a", as: Int.self) })"
        == "a cycle: cycle/a needs cycle/b needs cycle/c needs cycle/a")
    #expect(
      "\(try error { _ = try registry.make("c", as: Int.self) })"
        == "a cycle: cycle/c needs cycle/a needs cycle/b needs cycle/c")
    // Nothing is left of it.
    registry.unregister("c")
    registry.register("c") { 3 }
    #expect(try registry.shared("a", as: Int.self) == 3)
  }

  @Test func cycleByWayOfAnotherRegistry() throws {
    let first = registry("first")
    let second = registry("second")
    first.register("a") { try second.shared("a", as: Int.self) }
    second.register("a") { try first.shared("a", as: Int.self) }
    #expect(
      "\(try error { _ = try first.shared("a", as: Int.self) })"
        == "a cycle: first/a needs second/a needs first/a")
  }

  /// Each waits for the other: one of them gets an error in place of a deadlock.
  @Test func cycleByWayOfAnotherThread() throws {
    let registry = registry("threads")
    let meeting = Mutex(0)
    let areInside = DispatchSemaphore(value: 0)
    /// Until both are inside.
    @Sendable func meet() {
      let isSecond = meeting.withLock {
        $0 += 1
        return $0 >= 2
      }
      if isSecond { areInside.signal() }
      areInside.wait()
      // For the other one, and for whoever tries again.
      areInside.signal()
    }
    registry.register("a") {
      meet()
      return try registry.shared("b", as: Int.self)
    }
    registry.register("b") {
      meet()
      return try registry.shared("a", as: Int.self)
    }
    let errors = Mutex<[String]>([])
    let threads = DispatchGroup()
    for key in ["a", "b"] {
      threads.enter()
      Thread.detachNewThread {
        do {
          _ = try registry.shared(key, as: Int.self)
        } catch {
          errors.withLock { $0.append("\(error)") }
        }
        threads.leave()
      }
    }
    threads.wait()
    let found = errors.withLock { $0 }
    #expect(found.count == 2)
    #expect(
      found.allSatisfy {
        $0 == "a cycle: threads/a needs threads/b needs threads/a"
          || $0 == "a cycle: threads/b needs threads/a needs threads/b"
      }, "\(found)")
  }

  @Test func singletonIsCreatedOnceUnderRaces() throws {
    let registry = registry()
    let count = Mutex(0)
    registry.register("slow") { () -> NSObject in
      count.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 0.02)
      return NSObject()
    }
    let seen = Mutex<Set<UInt>>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      guard let object = try? registry.shared("slow", as: SharedObject.self) else { return }
      _ = seen.withLock { $0.insert(UInt(bitPattern: ObjectIdentifier(object).hashValue)) }
    }
    #expect(count.withLock { $0 } == 1 && seen.withLock { $0.count } == 1)
  }

  // MARK: - Configuration

  @Test func configurationStandsAbove() throws {
    let registry = registry("configured")
    registry.register("a", value: "code", priority: 1) { 1 }
    registry.register("b", value: "code", priority: 2) { 2 }
    registry.register("c", value: "code", priority: 3) { 3 }
    typealias Entry = AnnotationConfiguration.Entry
    try registry.merge(
      AnnotationConfiguration(groups: [
        "configured": [
          Entry(key: "a", priority: 9), Entry(key: "c", isEnabled: false),
          Entry(key: "new", value: "file", priority: 5), Entry(key: "later", priority: 7),
        ],
        "others": [Entry(key: "x", value: "y")],
      ]), from: "/etc/app.json")
    func lines() throws -> [String] {
      try registry.entries.map { "\($0.key) \($0.value) \($0.priority)" }
    }
    #expect(try lines() == ["a code 9", "new file 5", "b code 2"])
    #expect(try registry.make("a", as: Int.self) == 1)
    let entry = try #require(try registry.entry(for: "new"))
    #expect("\(entry)" == "configured/new from /etc/app.json" && !entry.hasAccessor)
    // A later registration is changed as well, and a configuration that is merged later stands
    // above.
    registry.register("later") { 7 }
    try registry.merge(
      AnnotationConfiguration(groups: [
        "configured": [
          Entry(key: "a", value: "second"), Entry(key: "c", isEnabled: true),
          Entry(key: "new", isEnabled: false),
        ]
      ]))
    #expect(try lines() == ["a second 9", "later  7", "c code 3", "b code 2"])
  }

  @Test(arguments: [
    ([AnnotationConfiguration.Entry(key: "")], "app.json: g[0].key: the key is empty"),
    (
      [.init(key: "a"), .init(key: "b"), .init(key: "a")], "app.json: g[2].key: a is there twice"
    ),
  ])
  func configurationWithABadKey(entries: [AnnotationConfiguration.Entry], text: String) throws {
    let registry = registry("g")
    let error = try error {
      try registry.merge(AnnotationConfiguration(groups: ["g": entries]), from: "app.json")
    }
    #expect("\(error)" == text)
    #expect(try registry.entries.isEmpty)
  }

  @Test func configurationIsCodable() throws {
    let json = #"{"modules":[{"enabled":false,"key":"a","priority":-3,"value":"v"},{"key":"b"}]}"#
    let configuration = try JSONDecoder().decode(
      AnnotationConfiguration.self, from: Data(json.utf8))
    #expect(
      configuration.groups == [
        "modules": [.init(key: "a", value: "v", priority: -3, isEnabled: false), .init(key: "b")]
      ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(configuration), as: UTF8.self) == json)
  }
}

private typealias SharedObject = any AnyObject & Sendable

/// The time that a clock shows.
func nanoseconds(_ clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
