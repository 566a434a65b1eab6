import Dispatch
import FoundationNetworking
import RebindTesting
import TestSupport

/// Keeps what a row has opened, and closes it once the row has been looked at.
final class Keeper: @unchecked Sendable {
  private var objects: [Any] = []
  private var cleanUps: [() -> Void] = []
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try Data("the notes".utf8).write(to: file)
  }

  var file: URL { folder.url.appending(path: "file") }
  var path: String { file.path }

  func keep(_ object: Any) { objects.append(object) }
  func atEnd(_ body: @escaping () -> Void) { cleanUps.append(body) }
  func closeAtEnd(_ descriptors: CInt...) { atEnd { for number in descriptors { close(number) } } }

  deinit { cleanUps.forEach { $0() } }
}

/// The ways to open and close, each with the number of descriptors that stay open.
enum DescriptorRow: CaseIterable {
  case nothing, open, openAndClose, fopen, fopenAndFclose, opendir, opendirAndClosedir, pipe
  case dupAndDup2, socketAndFdopen, openFdopenAndFclose, fileHandle, fileHandleReleased
  case pipeObject, pipeObjectReleased, data, enumerator, string, inputStream, inputStreamKept
  case process, processAgain, runLoop, randomness, urlSession, childTask, task, queue, otherThread
  case dispatchSource, names, popen

  var expected: Int {
    switch self {
    case .open, .fopen, .opendir, .dupAndDup2, .socketAndFdopen, .fileHandle, .inputStreamKept: 1
    case .childTask, .task, .queue, .dispatchSource, .popen: 1
    case .pipe, .pipeObject: 2
    default: 0
    }
  }

  func perform(_ keeper: Keeper) async throws {
    let path = keeper.path
    switch self {
    case .nothing: break
    case .open: keeper.closeAtEnd(Glibc.open(path, O_RDONLY))
    case .openAndClose: close(Glibc.open(path, O_RDONLY))
    case .fopen:
      let stream = Glibc.fopen(path, "r")!
      keeper.atEnd { fclose(stream) }
    case .fopenAndFclose: fclose(Glibc.fopen(path, "r"))
    case .opendir:
      let folder = Glibc.opendir("/")!
      keeper.atEnd { closedir(folder) }
    case .opendirAndClosedir: closedir(Glibc.opendir("/"))
    case .pipe:
      var pair: [CInt] = [0, 0]
      _ = Glibc.pipe(&pair)
      keeper.closeAtEnd(pair[0], pair[1])
    case .dupAndDup2:
      let copy = dup(0)
      dup2(1, copy)
      keeper.closeAtEnd(copy)
    case .socketAndFdopen:
      let stream = fdopen(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), "r+")!
      keeper.atEnd { fclose(stream) }
    case .openFdopenAndFclose: fclose(fdopen(Glibc.open(path, O_RDONLY), "r"))
    case .fileHandle: keeper.keep(try FileHandle(forReadingFrom: keeper.file))
    case .fileHandleReleased: _ = try FileHandle(forReadingFrom: keeper.file).readToEnd()
    case .pipeObject: keeper.keep(Pipe())
    case .pipeObjectReleased:
      let pipe = Pipe()
      pipe.fileHandleForWriting.write(Data("x".utf8))
      _ = try pipe.fileHandleForReading.read(upToCount: 1)
    case .data: try Data(contentsOf: keeper.file).write(to: keeper.file, options: .atomic)
    case .enumerator:
      let folder = FileManager.default.enumerator(atPath: keeper.folder.url.path)
      while folder?.nextObject() != nil {}
    case .string:
      _ = try String(contentsOfFile: path, encoding: .utf8)
      _ = try FileManager.default.attributesOfItem(atPath: path)
    case .inputStream, .inputStreamKept:
      let stream = try #require(InputStream(fileAtPath: path))
      stream.open()
      var byte: UInt8 = 0
      try #require(stream.read(&byte, maxLength: 1) == 1)
      if self == .inputStream { stream.close() } else { keeper.keep(stream) }
    case .process, .processAgain:
      let process = Process()
      process.executableURL = URL(filePath: "/bin/true")
      process.standardOutput = Pipe()
      try process.run()
      process.waitUntilExit()
    case .runLoop: Self.runLoopOnce()
    case .randomness:
      _ = "\(UUID()) \(Int.random(in: 0..<6)) \(DateFormatter().string(from: Date()))"
    case .urlSession:
      let server = try LoopbackServer()
      keeper.keep(server)
      // Otherwise the session lists the cache of the user's home. `.ephemeral` does so in any case.
      URLCache.shared = URLCache(
        memoryCapacity: 0, diskCapacity: 0,
        diskPath: FileManager.default.temporaryDirectory.path)
      let (data, _) = try await URLSession(configuration: .default).data(from: server.url)
      try #require(data == Data("hello".utf8))
    case .childTask:
      async let number = Glibc.open(path, O_RDONLY)
      keeper.closeAtEnd(await number)
    case .task: keeper.closeAtEnd(await Task { Glibc.open(path, O_RDONLY) }.value)
    case .queue:
      let number = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: Glibc.open(path, O_RDONLY)) }
      }
      keeper.closeAtEnd(number)
    case .otherThread:
      let number = Glibc.open(path, O_RDONLY)
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          close(number)
          continuation.resume()
        }
      }
    case .dispatchSource:
      let number = Glibc.open(path, O_RDONLY)
      let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: .global())
      await withCheckedContinuation { continuation in
        source.setEventHandler {
          source.cancel()
          continuation.resume()
        }
        source.resume()
      }
      keeper.closeAtEnd(number)
    case .names:
      var list: UnsafeMutablePointer<addrinfo>?
      if getaddrinfo("localhost", "80", nil, &list) == 0 { freeaddrinfo(list) }
      _ = getpwnam("root")
    case .popen:
      let stream = Glibc.popen("true", "r")!
      keeper.atEnd { pclose(stream) }
    }
  }

  private static func runLoopOnce() {
    _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
  }
}

/// Answers requests of HTTP with "hello", on a thread of its own.
private final class LoopbackServer: Sendable {
  private let listener: CInt
  let url: URL

  /// Its own descriptors are no test's.
  init() throws {
    (listener, url) = try Self.onThread {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isOpen = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && listen(listener, 8) == 0
            && getsockname(listener, $0, &size) == 0
        }
      }
      try #require(isOpen)
      return (listener, URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")!)
    }
    let listener = listener
    Thread.detachNewThread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = read(connection, &bytes, bytes.count)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        _ = write(connection, answer, answer.utf8.count)
        close(connection)
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let result = OnceValue<Result<Value, any Error>>()
    onThreads(1) { result.value = Result { try body() } }
    return try result.value!.get()
  }
}

private final class OnceValue<Value>: @unchecked Sendable {
  var value: Value?
}
