import Dispatch
import Foundation
import RebindCounting
import RebindTesting
import Synchronization
import TestSupport

/// Sleeps far down on the stack.
@inline(never)
func sleepDeeply(_ depth: Int) -> Int {
  guard depth > 0 else { return Int(usleep(10)) }
  let numbers = InlineArray<64, Int>(repeating: depth)
  return sleepDeeply(depth - 1) + numbers[depth]
}

let lock = NSLock()

/// Rows of work that was found to block nothing: streams, formatters, JSON, folders, memory and groups.
func workWithoutWaiting() async throws {
  let (stream, continuation) = AsyncStream<Int>.makeStream()
  async let sum = stream.reduce(0, +)
  for number in 0..<10_000 { continuation.yield(number) }
  continuation.finish()
  try #require(await sum == 49_995_000)
  await withTaskGroup { group in
    for _ in 0..<4 {
      group.addTask { for _ in 0..<20_000 { lock.withLock {} } }
    }
  }
  try #require(DateFormatter().string(from: Date()).isEmpty)
  let numbers = try JSONEncoder().encode(Array(0..<1000))
  try #require(try JSONDecoder().decode([Int].self, from: numbers).count == 1000)
  let folder = try TemporaryDirectory()
  for index in 0..<100 {
    try numbers.write(to: folder.url.appending(path: "\(index)"))
  }
  for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
    let file = folder.url.appending(path: name)
    try #require(try Data(contentsOf: file) == numbers)
    _ = try FileManager.default.attributesOfItem(atPath: file.path)
  }
  try #require([UInt8](repeating: 1, count: 200 << 20).count == 200 << 20)
}

/// The kinds of blocking calls.
enum BlockingKind: CaseIterable {
  case sleep, threadSleep, semaphore, group, queue, mutex, lock, process, pipe, condition, name
  case sync, file

  /// The functions of which one is found.
  var functions: Set<String> {
    switch self {
    case .sleep: ["usleep"]
    case .threadSleep: ["nanosleep", "clock_nanosleep", "usleep"]
    case .semaphore: ["dispatch_semaphore_wait", "sem_wait"]
    case .group: ["dispatch_group_wait", "syscall"]
    case .queue, .mutex: ["syscall"]
    case .lock: ["pthread_mutex_lock"]
    case .process: ["ppoll", "poll", "waitpid", "posix_spawn"]
    case .pipe: ["read"]
    case .condition: ["pthread_cond_wait", "pthread_cond_timedwait"]
    case .name: ["getaddrinfo"]
    case .sync: ["fsync"]
    case .file: ["flock"]
    }
  }

  var isLock: Bool { self == .mutex || self == .lock }

  /// Blocks in a task, and requires that this is found.
  func expectFinding(including groups: [BlockingGroup]) async throws {
    let calls = try await findingBlockingCalls(including: groups) {
      try await Task { try block() }.value
    }
    try #require(calls.callsWithoutSite == 0)
    guard !isLock || groups == [.locks] else {
      try #require(calls.sites.isEmpty, "\(self): \(calls)")
      return
    }
    let site = try #require(
      calls.sites.first { functions.contains($0.function) }, "\(self): \(calls)")
    try #require(site.frames.contains { $0.function?.contains("block") == true }, "\(calls)")
    try #require(self == .name || site.longest >= .milliseconds(1), "\(calls)")
  }

  @inline(never)
  func block() throws {
    switch self {
    case .sleep: usleep(5000)
    case .threadSleep: Thread.sleep(forTimeInterval: 0.005)
    case .semaphore:
      let semaphore = DispatchSemaphore(value: 0)
      later { semaphore.signal() }
      semaphore.wait()
    case .group:
      let group = DispatchGroup()
      group.enter()
      later { group.leave() }
      group.wait()
    case .queue:
      let queue = DispatchQueue(label: "busy")
      whileHeld { isHeld in
        queue.sync { isHeld() }
      } wait: {
        queue.sync {}
      }
    case .mutex:
      let mutex = Mutex(0)
      whileHeld { isHeld in
        mutex.withLock { _ in isHeld() }
      } wait: {
        mutex.withLock { $0 += 1 }
      }
    case .lock:
      let lock = NSLock()
      whileHeld { isHeld in
        lock.withLock { isHeld() }
      } wait: {
        lock.withLock {}
      }
    case .process:
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/sleep")
      process.arguments = ["0.2"]
      try process.run()
      process.waitUntilExit()
    case .pipe:
      let pipe = Pipe()
      later { try? pipe.fileHandleForWriting.write(contentsOf: Data("x".utf8)) }
      _ = try pipe.fileHandleForReading.read(upToCount: 1)
    case .condition:
      let condition = NSCondition()
      condition.lock()
      later { condition.withLock { condition.signal() } }
      condition.wait()
      condition.unlock()
    case .name:
      var list: UnsafeMutablePointer<addrinfo>?
      if getaddrinfo("127.0.0.1", "80", nil, &list) == 0 { freeaddrinfo(list) }
    case .sync:
      try inFile { file in
        let bytes = [UInt8](repeating: 1, count: 4 << 20)
        try #require(write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0)
      }
    case .file:
      try inFile { file in
        // A lock is of an opening, and not of a file.
        let holder = open("/proc/self/fd/\(file)", O_RDWR)
        flock(holder, LOCK_EX)
        later { close(holder) }
        try #require(flock(file, LOCK_EX) == 0)
      }
    }
  }
}

/// Runs `body` on a thread of its own a little later.
func later(_ body: @escaping @Sendable () -> Void) {
  Thread.detachNewThread {
    usleep(200_000)
    body()
  }
}

/// Has another thread hold something for a little while, and waits for it.
func whileHeld(
  _ hold: @escaping @Sendable (_ isHeld: () -> Void) -> Void, wait: () -> Void
) {
  let flag = Flag()
  Thread.detachNewThread {
    hold {
      flag.value.store(true, ordering: .releasing)
      usleep(200_000)
    }
  }
  while !flag.value.load(ordering: .acquiring) {}
  wait()
}

final class Flag: Sendable {
  let value = Atomic(false)
}

func inFile(_ body: (CInt) throws -> Void) throws {
  let folder = try TemporaryDirectory()
  // A file in memory would wait for no disk.
  let path = folder.url.appending(path: "file").path
  let file = open(path, O_RDWR | O_CREAT, 0o600)
  defer { close(file) }
  try body(file)
}

/// Starts three threads that do nothing but take time until the flag is set.
func startBusyThreads() -> Flag {
  let stop = Flag()
  for _ in 0..<3 {
    Thread.detachNewThread { while !stop.value.load(ordering: .relaxed) {} }
  }
  return stop
}
