#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A thread, as long as it runs.
struct ThreadID: Hashable, Sendable {
  private let value: UInt

  static var current: Self {
    #if canImport(Glibc)
    Self(value: UInt(pthread_self()))
    #else
    Self(value: UInt(bitPattern: pthread_self()))
    #endif
  }
}
