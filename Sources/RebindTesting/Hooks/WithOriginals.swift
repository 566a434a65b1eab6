#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Runs the machinery's own code, whose calls reach the originals. Leaves errno as
/// it was: the body of a test may have set it.
func withOriginals<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  // First and last, as errno is a call, which may be recorded.
  crebind_testing_suppress_begin()
  let error = errno
  defer {
    errno = error
    crebind_testing_suppress_end()
  }
  return try body()
}
#endif
