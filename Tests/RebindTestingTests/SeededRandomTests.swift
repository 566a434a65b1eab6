import Dispatch
import Foundation
import RebindTesting
import Synchronization
import TestSupport

/// Random numbers that a seed gives.
@Suite(.measured, .unlessSanitized) struct SeededRandomTests {
  // MARK: - Sources

  /// Two seeds at the same time, in three processes.
  @Test func numbersAreTheSameInEachProcess() async throws {
    var outputs: Set<[UInt8]> = []
    for _ in 0..<3 {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent]
      ) {
        async let first = drawnTwice(seed: 1)
        async let second = drawnTwice(seed: 2)
        let (one, two) = try await (first, second)
        for ((source, numbers), others) in zip(zip(RandomSource.allCases, one), two) {
          try #require(numbers != others, "\(source)")
          print(source, numbers, others)
        }
      }
      outputs.insert(try #require(result?.standardOutputContent))
    }
    #expect(outputs.count == 1)
    let lines = String(decoding: try #require(outputs.first), as: UTF8.self).split(separator: "\n")
    #expect(lines.filter { $0.contains("[") }.count == RandomSource.allCases.count)
  }

  @Test(arguments: RandomSource.allCases) func othersKeepTheirs(source: RandomSource) async throws {
    let numbers = try await withSeededRandom(1) {
      (try source.draw(), try await Task.detached { try source.draw() }.value)
    }
    let again = try await withSeededRandom(1) { try source.draw() }
    #expect(again == numbers.0 && again != numbers.1)
  }

  /// The C library's numbers, as glibc documents and gives them.
  @Test func seedsOfTheProgramAreTheCLibrarys() throws {
    let numbers = try withSeededRandom(7) {
      srandom(1)
      return (0..<3).map { _ in random() }
    }
    #expect(numbers == [1_804_289_383, 846_930_886, 1_681_692_777])
    let zero = try withSeededRandom(7) {
      srandom(0)
      return random()
    }
    #expect(zero == numbers[0])
    for seed in [1, 5, 0x1234_5678_9abc] {
      let found = try withSeededRandom(7) {
        srand48(seed)
        return (drand48(), lrand48(), mrand48())
      }
      var state: [CUnsignedShort] = [
        0x330e, CUnsignedShort(truncatingIfNeeded: seed),
        CUnsignedShort(truncatingIfNeeded: seed >> 16),
      ]
      let expected = (erand48(&state), nrand48(&state), jrand48(&state))
      #expect(found == expected)
    }
  }

  /// A program that gives the process's generators a state of its own has the numbers of that.
  @Test func ownStatesAreKept() async {
    await #expect(processExitsWith: .success) {
      let draw = { () -> [Int] in
        var state = [CChar](repeating: 0, count: 256)
        return state.withUnsafeMutableBufferPointer { state in
          let former = initstate(3, state.baseAddress!, 256)!
          defer { setstate(former) }
          var seed: (CUnsignedShort, CUnsignedShort, CUnsignedShort) = (1, 2, 3)
          _ = withUnsafeMutableBytes(of: &seed) {
            seed48($0.baseAddress!.assumingMemoryBound(to: CUnsignedShort.self))
          }
          return [random(), random(), lrand48()]
        }
      }
      let expected = draw()
      let found = try withSeededRandom(1) { draw() }
      try #require(found == expected)
    }
  }

  @Test func callsThatFailDoSo() throws {
    try withSeededRandom(1) {
      var buffer = [UInt8](repeating: 0, count: 300)
      #expect(getentropy(&buffer, 257) == -1 && errno == EIO)
      #expect(getrandom(&buffer, 8, 0xff00) == -1 && errno == EINVAL)
      #expect(getrandom(nil, 8, 0) == -1 && errno == EFAULT)
      #expect(getrandom(&buffer, 0, 0) == 0)
      #expect(read(-1, &buffer, 8) == -1 && errno == EBADF)
      #expect(fopen("/dev/urandom/none", "r") == nil && errno == ENOTDIR)
      #expect(fopen("/dev/urandom", "?") == nil && errno == EINVAL)
    }
  }

  /// The kernel refuses this, and the C library ends a program that reads beyond a buffer.
  @Test func readsThatFailDoSo() async throws {
    try await withSeededRandom(1) {
      let device = open("/dev/urandom", O_WRONLY)
      defer { close(device) }
      var byte: UInt8 = 0
      #expect(read(device, &byte, 1) == -1 && errno == EBADF)
    }
    await #expect(processExitsWith: .signal(SIGABRT)) {
      try withSeededRandom(1) {
        let device = open("/dev/urandom", O_RDONLY)
        var buffer = [UInt8](repeating: 0, count: 16)
        _ = checkedRead(device, &buffer, 16, 8)
      }
    }
  }

  /// In a process of their own, as another test records the calls of readv in all of this one.
  @Test func readsOfParts() async {
    await #expect(processExitsWith: .success) {
      try withSeededRandom(1) {
        let device = open("/dev/random", O_RDONLY)
        var buffer = [UInt8](repeating: 7, count: 16)
        try buffer.withUnsafeMutableBytes { bytes in
          let start = bytes.baseAddress!
          var parts = [
            iovec(iov_base: start + 2, iov_len: 3), iovec(iov_base: start + 8, iov_len: 4),
          ]
          try #require(readv(device, parts, 2) == 7)
          let left = [0..<2, 5..<8, 12..<16].flatMap { bytes[$0] }
          try #require(left == Array(repeating: 7, count: 9))
          try #require(Array(bytes[2..<5]) != [7, 7, 7])
          parts = Array(repeating: iovec(iov_base: start, iov_len: 1), count: 1025)
          try #require(readv(device, parts, 1025) == -1 && errno == EINVAL)
          parts[1].iov_len = -1
          try #require(readv(device, parts, 2) == -1 && errno == EINVAL)
          parts[1] = iovec(iov_base: nil, iov_len: 1)
          try #require(readv(device, parts, 3) == 1)
        }
      }
    }
  }

  /// Other descriptors and streams are left alone, and so is whatever the call does not fill.
  @Test func filesAreRead() throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "note")
    try Data("a note".utf8).write(to: file)
    try withSeededRandom(1) {
      #expect(try Data(contentsOf: file) == Data("a note".utf8))
      let stream = try #require(fopen(file.path, "r"))
      defer { fclose(stream) }
      #expect(fgetc(stream) == CInt(UInt8(ascii: "a")))
      var buffer = [UInt8](repeating: 7, count: 16)
      #expect(getrandom(&buffer, 5, 0) == 5)
      #expect(buffer[5...].allSatisfy { $0 == 7 } && !buffer[..<5].allSatisfy { $0 == 7 })
    }
  }

  /// A stream of a device that lives longer has the kernel's numbers.
  @Test func streamsOutliveTheSeed() throws {
    let kept = try withSeededRandom(1) { try #require(fopen("/dev/urandom", "r")) }
    defer { fclose(kept) }
    var (numbers, others) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 16))
    #expect(fread(&numbers, 1, 16, kept) == 16 && fread(&others, 1, 16, kept) == 16)
    #expect(numbers != others)
  }

  /// libstdc++ reads the descriptor that is behind a stream.
  @Test func streamsOfCXX() throws {
    let builder = try FixtureBuilder(.clang)
    let source = builder.directory.url.appending(path: "draw.cpp")
    try Data(
      """
      #include <fstream>
      extern "C" unsigned long draw_by_stream() {
        unsigned long number = 0;
        std::ifstream("/dev/urandom").read(reinterpret_cast<char *>(&number), sizeof number);
        return number;
      }
      """.utf8
    ).write(to: source)
    let file = builder.directory.url.appending(path: "libdraw.so")
    let result = try TestSupport.run(
      "/usr/bin/g++", ["-shared", "-fPIC", "-o", file.path, source.path])
    #expect(result.succeeded, "\(result.errorOutput)")
    let library = try #require(dlopen(file.path, RTLD_NOW))
    let draw = unsafeBitCast(
      try #require(dlsym(library, "draw_by_stream")), to: (@convention(c) () -> CUnsignedLong).self)
    let (number, again) = (try withSeededRandom(1) { draw() }, try withSeededRandom(1) { draw() })
    #expect(number != 0 && number == again && number != draw())
  }

  // MARK: - Tasks

  /// Tasks that draw at the same time have numbers of their own, which are the same in each round.
  @Test func childrenRepeat() async throws {
    let outcomes = try await withThrowingTaskGroup(of: [UInt64].self) { rounds in
      for _ in 0..<4 {
        rounds.addTask {
          var outcomes: Set<[UInt64]> = []
          for _ in 0..<50 { outcomes.insert(try await withSeededRandom(3) { await family() }) }
          try #require(outcomes.count == 1)
          return outcomes.first!
        }
      }
      return try await rounds.reduce(into: Set()) { $0.insert($1) }
    }
    let numbers = try #require(outcomes.first)
    #expect(outcomes.count == 1 && Set(numbers).count == numbers.count)
  }

  /// Blocks on queues are as tasks.
  @Test func blocksRepeat() async throws {
    let queue = DispatchQueue(label: "of draws", attributes: .concurrent)
    var outcomes: Set<[UInt64]> = []
    for _ in 0..<100 {
      outcomes.insert(
        try await withSeededRandom(3) {
          let numbers = Mutex([UInt64](repeating: 0, count: 8))
          let group = DispatchGroup()
          for i in 0..<8 {
            queue.async(group: group) { numbers.withLock { $0[i] = .random(in: 0...UInt64.max) } }
          }
          let inner = await withCheckedContinuation { continuation in
            queue.async {
              let task = Task { UInt64.random(in: 0...UInt64.max) }
              continuation.resume(returning: task)
            }
          }
          await withCheckedContinuation { continuation in
            group.notify(queue: queue) { continuation.resume() }
          }
          return await numbers.withLock { $0 } + [inner.value]
        })
    }
    #expect(outcomes.count == 1)
  }

  /// A block's number does not tell a task's age.
  @Test(.notInCheck) func tasksOfABlocksSeedRepeat() async throws {
    final class Numbers: Sendable { let drawn = Mutex<[UInt64]>([0, 0]) }
    let ofTask = try await withSeededRandom(3) {
      let tasks = (0..<2).map { _ in Task { UInt64.random(in: 0...UInt64.max) } }
      return [await tasks[0].value, await tasks[1].value]
    }
    let ofBlock: [UInt64]? = try await withSeededRandom(1) {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          let numbers = Numbers()
          try? withSeededRandom(3) {
            let group = DispatchGroup()
            for i in 0..<2 {
              group.enter()
              Task {
                numbers.drawn.withLock { $0[i] = .random(in: 0...UInt64.max) }
                group.leave()
              }
            }
            group.wait()
          }
          continuation.resume(returning: numbers.drawn.withLock { $0 })
        }
      }
    }
    #expect(ofBlock == ofTask)
  }

  /// A hop to an actor that others use is no new task, whether or not the actor has to be woken.
  @Test(.notInCheck) func hopsTakeNothing() async throws {
    let actor = Drawing()
    let others = (0..<4).map { _ in
      Task.detached {
        while !Task.isCancelled { await actor.rest() }
      }
    }
    for _ in 0..<50 {
      let numbers = try await withSeededRandom(3) {
        await actor.rest()
        let first = await Task { UInt64.random(in: 0...UInt64.max) }.value
        await actor.rest()
        return [first, await Task { UInt64.random(in: 0...UInt64.max) }.value]
      }
      let expected = try await withSeededRandom(3) {
        let first = await Task { UInt64.random(in: 0...UInt64.max) }.value
        return [first, await Task { UInt64.random(in: 0...UInt64.max) }.value]
      }
      #expect(numbers == expected)
    }
    for other in others {
      other.cancel()
      await other.value
    }
  }

  /// A task that is resumed is no new one, whoever has begun it, and whether or not it was seen to begin.
  @Test func resumedTasksTakeNothing() async {
    await #expect(processExitsWith: .success) {
      @Sendable func draw(resuming: Bool) async throws -> UInt64 {
        let waiting = AsyncStream<Void>.makeStream()
        let others = Task.detached { for await _ in waiting.stream {} }
        try await Task.sleep(for: .milliseconds(2))
        let number = try await Task {
          try await withSeededRandom(3) {
            if resuming { waiting.continuation.yield() }
            return await Task { UInt64.random(in: 0...UInt64.max) }.value
          }
        }.value
        waiting.continuation.finish()
        await others.value
        return number
      }
      // Tasks are followed from the first scope on.
      var numbers: Set<UInt64> = []
      for resuming in [true, false, true] { numbers.insert(try await draw(resuming: resuming)) }
      try #require(numbers.count == 1)
    }
  }

  /// Tasks that start on actors or at once are seen when they are made, and may draw before that.
  @Test func tasksOfActorsRepeat() async throws {
    var outcomes: Set<[UInt64]> = []
    for _ in 0..<20 {
      outcomes.insert(
        try await withSeededRandom(3) {
          let actors = (0..<8).map { _ in Drawing() }
          let tasks = actors.map { actor in Task { await actor.draw() } }
          let immediate = Task.immediate { UInt64.random(in: 0...UInt64.max) }
          var numbers = [await immediate.value]
          for task in tasks { numbers += await task.value }
          for actor in actors { numbers.append(await actor.begin().value) }
          return numbers
        })
    }
    #expect(outcomes.count == 1)
    #expect(Set(outcomes.first!).count == outcomes.first!.count)
  }

  /// The inner scope's numbers are those of its seed, and the outer one's go on as if it had not been.
  @Test func scopesNest() async throws {
    let draw = { @Sendable in UInt64.random(in: 0...UInt64.max) }
    let (alone, inside) = try await withSeededRandom(1) {
      (draw(), try await withSeededRandom(2) { [draw(), await Task { draw() }.value] })
    }
    let again = try await withSeededRandom(2) { [draw(), await Task { draw() }.value] }
    #expect(again == inside)
    let outer = try await withSeededRandom(1) { [draw(), draw()] }
    #expect(outer[0] == alone && outer[1] != alone)
  }

  @Test func faultsStrikeBefore() throws {
    try withSeededRandom(1) {
      var byte: UInt8 = 0
      try withFailing("getrandom", errno: ENOSYS) {
        #expect(getrandom(&byte, 1, 0) == -1 && errno == ENOSYS)
      }
      #expect(getrandom(&byte, 1, 0) == 1)
    }
  }

  @Test(.notInCheck) func manyTasksDraw() async throws {
    let sum = { () async throws -> UInt64 in
      try await withSeededRandom(9) {
        await withTaskGroup(of: UInt64.self) { group in
          for _ in 0..<20_000 { group.addTask { .random(in: 0...1000) } }
          return await group.reduce(0, +)
        }
      }
    }
    let (one, two) = (try await sum(), try await sum())
    #expect(one == two)
  }
}

/// The numbers of all sources, which are drawn twice.
private func drawnTwice(seed: UInt64) async throws -> [[String]] {
  try await withSeededRandom(seed) {
    try RandomSource.allCases.map { [try $0.draw(), try $0.draw()] }
  }
}

/// Draws in eight child tasks, in an `async let`, and in tasks inside of tasks.
func family() async -> [UInt64] {
  let draw = { @Sendable in UInt64.random(in: 0...UInt64.max) }
  async let beside = draw()
  let children = await withTaskGroup(of: (Int, [UInt64]).self) { group in
    for i in 0..<8 {
      group.addTask {
        let first = draw()
        await Task.yield()
        let inner = Task { [draw(), await Task { draw() }.value] }
        return (i, [first, draw()] + (await inner.value))
      }
    }
    return await group.reduce(into: [Int: [UInt64]]()) { $0[$1.0] = $1.1 }
  }
  return [draw(), await beside] + (0..<8).flatMap { children[$0]! }
}

/// Begins tasks of its own, which start on it.
private actor Drawing {
  private var numbers: [UInt64] = []

  func rest() {}

  func draw() async -> [UInt64] {
    let task = Task { note() }
    note()
    await task.value
    return numbers
  }

  func begin() -> Task<UInt64, Never> {
    Task {
      note()
      return numbers.last!
    }
  }

  private func note() { numbers.append(.random(in: 0...UInt64.max)) }
}
