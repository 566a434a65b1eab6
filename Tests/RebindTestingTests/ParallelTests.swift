import RebindTesting
import Synchronization
import TestSupport

/// Tests that run at the same time do not see each other's rebindings.
@Suite(.measured) struct ParallelTests {
  @Test(.notInCheck) func sixtyFourTasksWithHandlersOfTheirOwn() async throws {
    for _ in 0..<100 {
      try await withThrowingTaskGroup { group in
        for number in 0..<64 as Range<CInt> {
          group.addTask {
            let opened = Mutex<[String]>([])
            let path = "/no/such/file/\(number)"
            let results = try await withRebinding(
              "open",
              { (_, path: UnsafePointer<CChar>, _: CInt, _: mode_t) -> CInt in
                opened.withLock { $0.append(String(cString: path)) }
                return 1000 + number
              }
            ) {
              let first = open(path, O_RDONLY)
              await Task.yield()
              let second = open(path, O_RDONLY)
              return [first, second]
            }
            #expect(results == [1000 + number, 1000 + number])
            #expect(opened.withLock { $0 } == [path, path])
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The same as tests: each argument is one, and they run at the same time.
  @Test(arguments: 0..<64)
  func testsWithHandlersOfTheirOwn(number: Int) async throws {
    let result = try await withRebinding(
      "open",
      { (_, _: UnsafePointer<CChar>, _: CInt, _: mode_t) -> CInt in CInt(2000 + number) }
    ) {
      await Task.yield()
      return open("/no/such/file", O_RDONLY)
    }
    #expect(result == CInt(2000 + number))
    let missing = open("/no/such/file", O_RDONLY)
    #expect(missing == -1)
  }
}
