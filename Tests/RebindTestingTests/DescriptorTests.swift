import Dispatch
import RebindTesting
import Synchronization
import TestSupport

/// Descriptors that stay open are found, each in its own test.
@Suite(.measured) struct DescriptorTests {
  /// Each row in order, as some are about first uses.
  @Test(.notInCheck) func rows() async {
    await #expect(processExitsWith: .success) {
      var wrong: [String] = []
      for row in DescriptorRow.allCases {
        let keeper = try Keeper()
        let leaks = try await findingDescriptorLeaks { try await row.perform(keeper) }
        if leaks.count != row.expected { wrong.append("\(row) \(leaks.count): \(leaks)") }
        withExtendedLifetime(keeper) {}
      }
      try #require(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }
  }

  @Test func whatALeakSays() throws {
    let keeper = try Keeper()
    let leaks = try findingDescriptorLeaks { keeper.closeAtEnd(open(keeper.path, O_RDONLY)) }
    let leak = try #require(leaks.first)
    let opening = try #require(leak.opening)
    #expect(leaks.count == 1 && leak.path == keeper.path && opening.function.hasPrefix("open"))
    #expect(opening.frames.contains { $0.function?.contains("whatALeakSays") == true })
    let text = "leaked descriptor \(leak.number) (\(leak.path)), opened by \(opening.function)\n"
    #expect("\(leak)".hasPrefix(text))
  }

  /// Calls from one place of the stack, which come by different ways.
  @Test func waysAreToldApart() throws {
    let keeper = try Keeper()
    let leaks = try findingDescriptorLeaks {
      for number in 0..<20 {
        keeper.closeAtEnd(number % 2 == 0 ? openOneWay(keeper) : openTheOtherWay(keeper))
      }
    }
    let openings = leaks.compactMap(\.opening)
    #expect(leaks.count == 20 && Set(openings).count == 2)
    for way in ["openOneWay", "openTheOtherWay"] {
      #expect(
        openings.count { $0.frames.contains { $0.function?.contains(way) == true } } == 10)
    }
  }

  /// Each of 64 finds its own, while all others open and close.
  @Test(.notInCheck) func parallelSearches() async throws {
    try await withThrowingTaskGroup { tasks in
      for number in 0..<64 {
        tasks.addTask {
          let keeper = try Keeper()
          let leaks = try await findingDescriptorLeaks {
            for round in 0..<200 {
              let file = open(keeper.path, O_RDONLY)
              if round % 3 == 0 { await Task.yield() }
              if round % 50 < number % 4 { keeper.closeAtEnd(file) } else { close(file) }
            }
          }
          #expect(leaks.map(\.path) == Array(repeating: keeper.path, count: number % 4 * 4))
        }
      }
      try await tasks.waitForAll()
    }
  }

  // MARK: - Hard cases

  /// The number goes on to be another file's.
  @Test func dup2OntoAnOpenOne() throws {
    let keeper = try Keeper()
    let leaks = try findingDescriptorLeaks {
      let file = open("/dev/null", O_RDONLY)
      let other = open(keeper.path, O_RDONLY)
      dup2(other, file)
      close(other)
      keeper.closeAtEnd(file)
    }
    #expect(leaks.map(\.path) == [keeper.path])
    #expect(leaks.first?.opening?.function == "dup2")
    #expect(try findingDescriptorLeaks { keeper.closeAtEnd(fcntl(0, F_DUPFD, 100)) }.count == 1)
  }

  /// One that was open before is pointed elsewhere and back: nothing is left over.
  @Test func aStandardStreamIsPointedElsewhere() throws {
    let file = open("/dev/null", O_WRONLY)
    defer { close(file) }
    let leaks = try findingDescriptorLeaks {
      let saved = dup(file)
      dup2(0, file)
      dup2(saved, file)
      close(saved)
    }
    #expect(leaks.isEmpty, "\(leaks)")
  }

  @Test func freopen() throws {
    let keeper = try Keeper()
    let leaks = try findingDescriptorLeaks {
      let stream = fopen("/dev/null", "r")
      let other = Glibc.freopen(keeper.path, "r", stream)!
      keeper.atEnd { fclose(other) }
      fclose(Glibc.freopen("/dev/null", "r", fopen(keeper.path, "r")))
    }
    #expect(leaks.map(\.path) == [keeper.path])
  }

  @Test func descriptorsInMessages() throws {
    typealias Pass = @convention(c) (CInt, UnsafeMutablePointer<CInt>) -> CInt
    let pass = try TypedCalls.function("pass_descriptor", as: Pass.self)
    let keeper = try Keeper()
    let file = open(keeper.path, O_RDONLY)
    keeper.closeAtEnd(file)
    let leaks = try findingDescriptorLeaks {
      var pair: [CInt] = [0, 0]
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
      keeper.closeAtEnd(pass(file, &pair))
      close(pass(file, &pair))
      close(pair[0])
      close(pair[1])
    }
    #expect(leaks.map(\.path) == [keeper.path])
    #expect(leaks.first?.opening?.function == "recvmsg")
  }

  /// A close that fails for a bad number closes nothing, and one that a fault has answered neither.
  @Test func aCloseThatFails() throws {
    let keeper = try Keeper()
    let isClosed = try findingDescriptorLeaks {
      try withFailing("close", errno: EIO) { _ = close(open(keeper.path, O_RDONLY)) }
    }
    #expect(isClosed.isEmpty)
    let isOpen = try findingDescriptorLeaks {
      try withFailing("close", returning: -1, errno: EBADF) {
        let file = open(keeper.path, O_RDONLY)
        close(file)
        keeper.closeAtEnd(file)
      }
    }
    #expect(isOpen.map(\.path) == [keeper.path])
  }

  @Test(arguments: [true, false]) func aChildCloses(sharesMemory: Bool) throws {
    typealias Change = @convention(c) (CInt, CInt) -> CInt
    let change = try TypedCalls.function("change_in_child", as: Change.self)
    let keeper = try Keeper()
    let leaks = try findingDescriptorLeaks {
      let file = open(keeper.path, O_RDONLY)
      #expect(change(file, sharesMemory ? 1 : 0) == 0)
      keeper.closeAtEnd(file)
      close(open("/dev/null", O_RDONLY))
    }
    #expect(leaks.map(\.path) == [keeper.path])
  }

  @Test func callsByNumber() throws {
    typealias Open = @convention(c) (UnsafePointer<CChar>) -> CInt
    let openByNumber = try TypedCalls.function("open_by_number", as: Open.self)
    let closeByNumber = try TypedCalls.function(
      "close_by_number", as: (@convention(c) (CInt) -> CInt).self)
    let keeper = try Keeper()
    let leaks = try findingDescriptorLeaks {
      keeper.closeAtEnd(openByNumber(keeper.path))
      #expect(closeByNumber(open(keeper.path, O_RDONLY)) == 0)
    }
    #expect(leaks.map(\.opening?.function) == ["syscall"])
  }

  /// swift-subprocess makes its children so.
  @Test func descriptorsOfChildren() throws {
    typealias Make = @convention(c) (UnsafeMutablePointer<CInt>) -> CInt
    let make = try TypedCalls.function("child_with_descriptor", as: Make.self)
    let keeper = try Keeper()
    var (kept, closed): (CInt, CInt) = (-1, -1)
    let leaks = try findingDescriptorLeaks {
      #expect(make(&kept) > 0 && make(&closed) > 0)
      close(closed)
      keeper.closeAtEnd(kept)
    }
    #expect(leaks.map(\.number) == [kept])
  }

  /// Whichever of the two is the younger one.
  @Test func faultsInTheSameTest() throws {
    let keeper = try Keeper()
    var files: [CInt] = []
    let inside = try findingDescriptorLeaks {
      try withFailing("open", errno: EMFILE, onCall: 1) {
        files = [open(keeper.path, O_RDONLY), open(keeper.path, O_RDONLY)]
      }
    }
    let outside = try withFailing("open", errno: EMFILE, onCall: 1) {
      try findingDescriptorLeaks {
        files += [open(keeper.path, O_RDONLY), open(keeper.path, O_RDONLY)]
      }
    }
    keeper.atEnd { [files] in for file in files where file >= 0 { close(file) } }
    #expect(files.map { $0 < 0 } == [true, false, true, false])
    #expect(inside.map(\.path) == [keeper.path] && outside.map(\.path) == [keeper.path])
  }

  @Test func rangesAreClosed() throws {
    typealias Close = @convention(c) (CInt, CInt) -> CInt
    let closeRange = try TypedCalls.function("call_close_range", as: Close.self)
    let leaks = try findingDescriptorLeaks {
      let first = fcntl(0, F_DUPFD, 800)
      let last = fcntl(0, F_DUPFD, first + 1)
      #expect(closeRange(first, last) == 0)
    }
    #expect(leaks.isEmpty, "\(leaks)")
  }

  /// The number is another file's by then, which nobody in reach has opened.
  @Test func aNumberThatIsGivenToAnother() throws {
    let keeper = try Keeper()
    let leaks = try findingDescriptorLeaks {
      let file = open("/dev/null", O_RDONLY)
      onThreads(1) {
        let other = open(keeper.path, O_RDONLY)
        dup2(other, file)
        close(other)
      }
      keeper.closeAtEnd(file)
    }
    #expect(leaks.isEmpty, "\(leaks)")
  }

  @Test(.notInCheck) func otherTasksAreOutOfReach() async throws {
    let keeper = try Keeper()
    let body: @Sendable () async -> Void = {
      keeper.closeAtEnd(await Task.detached { open(keeper.path, O_RDONLY) }.value)
    }
    #expect(try await findingDescriptorLeaks(body: body).isEmpty)
    await #expect(processExitsWith: .success) {
      let leaks = try await findingDescriptorLeaks(reach: .process) {
        _ = await Task.detached { open("/dev/null", O_RDONLY) }.value
      }
      try #require(leaks.map(\.path) == ["/dev/null"])
      let ofThread = try findingDescriptorLeaks(reach: .thread) {
        onThreads(1) { _ = open("/dev/null", O_RDONLY) }
        _ = open("/dev/zero", O_RDONLY)
      }
      try #require(ofThread.map(\.path) == ["/dev/zero"])
    }
  }

  /// Both find what the inner one has seen, if it is open still.
  @Test func nestedSearches() throws {
    let keeper = try Keeper()
    var inner: [LeakedDescriptor] = []
    let outer = try findingDescriptorLeaks {
      var files: [CInt] = []
      inner = try findingDescriptorLeaks {
        files = [open(keeper.path, O_RDONLY), open("/dev/null", O_RDONLY)]
      }
      close(files[1])
      keeper.closeAtEnd(files[0])
    }
    #expect(inner.map(\.path) == [keeper.path, "/dev/null"])
    #expect(outer.map(\.path) == [keeper.path] && outer.first?.opening == inner.first?.opening)
  }

  // MARK: - What may stay open

  @Test func allowances() throws {
    let keeper = try Keeper()
    let file = keeper.path
    func leaks(_ allowance: DescriptorAllowance) throws -> [String] {
      try findingDescriptorLeaks(allowing: allowance, .calls(of: "socket")) {
        keeper.closeAtEnd(open(file, O_RDONLY), open("/dev/null", O_RDONLY))
      }.map(\.path)
    }
    let folder = keeper.folder.url.path
    #expect(try leaks(.path("\(folder)/*")) == ["/dev/null"])
    #expect(try leaks(.path("/dev/null")) == [file])
    #expect(try leaks(.calls(of: "open")) == [])
    #expect(try leaks(.callers(in: "libsqlite3.so.0")) == [file, "/dev/null"])
    let image = try withRecordedCalls(of: "getppid") { recording in
      _ = getppid()
      return recording.calls.first?.image
    }
    #expect(try leaks(.callers(in: try #require(image))) == [])
    unlink(file)
  }

  /// A file's name is the one that it had.
  @Test func aDeletedFileIsAllowedByItsPath() throws {
    let keeper = try Keeper()
    let body = {
      keeper.closeAtEnd(open(keeper.path, O_RDONLY | O_CREAT, 0o600))
      unlink(keeper.path)
    }
    #expect(try findingDescriptorLeaks(allowing: .path(keeper.path), body: body).isEmpty)
    #expect(
      try findingDescriptorLeaks(body: body).map(\.path) == ["\(keeper.path) (deleted)"])
  }

  @Test func unknownFunctions() {
    let error = #expect(throws: RebindTestingError.self) {
      try findingDescriptorLeaks(allowing: .calls(of: "opne")) {}
    }
    #expect(
      error?.description
        == "opne cannot be allowed to leave descriptors open: it is not among the functions that "
        + "are looked at")
  }

  /// A call that cannot be followed is no silence.
  @Test func numbersBeyondTheTable() {
    let error = #expect(throws: RebindTestingError.self) {
      try withFailing("dup", returning: 65_536) { try findingDescriptorLeaks { _ = dup(0) } }
    }
    #expect(
      error?.description
        == "1 call that may open or close a descriptor could not be followed, so that others may "
        + "be open")
  }

  // MARK: - The trait

  @Test(
    .hasIssue("1 descriptor that is not closed, at most 0\nleaked descriptor ", severity: .error),
    .noDescriptorLeaks)
  func aTestThatLeaks() throws {
    Self.leaked.store(open("/dev/null", O_RDONLY), ordering: .relaxed)
  }

  private static let leaked = Atomic<CInt>(-1)

  @Test(.hasIssue(" is closed twice, by close\n", severity: .error), .noDescriptorLeaks)
  func aTestThatClosesTwice() {
    // No other test is given so great a number.
    let file = fcntl(0, F_DUPFD, 850)
    close(file)
    close(file)
  }

  @Test(.hasIssue(" is closed twice, by fclose\n", severity: .error), .noDescriptorLeaks)
  func aStreamWhoseDescriptorIsClosed() {
    let file = fcntl(0, F_DUPFD, 870)
    let stream = fdopen(file, "r")
    close(file)
    fclose(stream)
  }

  /// Another one has been given the number since, or nobody in reach had closed it.
  @Test(.noDescriptorLeaks) func closedByOthers() {
    let file = fcntl(0, F_DUPFD, 900)
    onThreads(1) { close(file) }
    close(file)
    dup2(0, file)
    close(file)
    onThreads(1) {
      dup2(0, file)
      close(file)
    }
    close(file)
  }

  @Test(.noDescriptorLeaks, .allocations(atMost: 100_000), .noLeaks)
  func closesWhatItOpens() { close(open("/dev/null", O_RDONLY)) }

  @Test(.noDescriptorLeaks(allowing: .path("/dev/nul?")).warmed)
  func mayLeaveSome() {
    DescriptorTests.leaked.store(open("/dev/null", O_RDONLY), ordering: .relaxed)
  }

  @Suite(.noDescriptorLeaks(allowing: .path("/dev/null"))) struct OfASuite {
    @Test(.noDescriptorLeaks, .failing("open", errno: EMFILE, onCall: 2))
    func mayLeaveSome() {
      DescriptorTests.leaked.store(open("/dev/null", O_RDONLY), ordering: .relaxed)
      #expect(open("/dev/null", O_RDONLY) == -1)
    }
  }
}

@inline(never) private func openOneWay(_ keeper: Keeper) -> CInt { openFile(keeper) }
@inline(never) private func openTheOtherWay(_ keeper: Keeper) -> CInt { openFile(keeper) }
@inline(never) private func openFile(_ keeper: Keeper) -> CInt { open(keeper.path, O_RDONLY) }
