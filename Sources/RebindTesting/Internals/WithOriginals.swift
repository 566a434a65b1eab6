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
  let error = errno
  crebind_testing_suppress_begin()
  defer {
    crebind_testing_suppress_end()
    errno = error
  }
  return try body()
}
