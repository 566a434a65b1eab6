import Glibc

/// A program that knows nothing of the search. It blocks a thread of the pool, and ends as it is told.
@main struct Dozing {
  static func main() async throws {
    for _ in 0..<3 { await doze() }
    print("awake")
    switch CommandLine.arguments.dropFirst().first {
    case "exit": exit(3)
    case "signal":
      fflush(nil)
      kill(getpid(), SIGTERM)
      try await Task.sleep(for: .seconds(60))
    default: break
    }
  }

  @concurrent static func doze() async { usleep(10_000) }
}
