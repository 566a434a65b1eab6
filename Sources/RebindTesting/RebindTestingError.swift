#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Why a function could not be rebound for a test. Nothing has changed then.
public struct RebindTestingError: Error, Sendable, Hashable {
  /// The kinds of failure.
  public enum Code: Sendable, Hashable {
    /// A structure has more than 32 bytes.
    case structureTooLarge
    /// A structure's stated fields do not give its size or alignment.
    case wrongFields
    /// No loaded image defines the symbol.
    case undefinedSymbol
    /// No loaded image calls the symbol, so that no call would be seen.
    case neverCalled
    /// Images call different functions of that name.
    case severalOriginals
    /// `.thread` was asked for with a body that may suspend.
    case threadReachWhileSuspending
    /// More symbols have been rebound than there are stubs.
    case tooManySymbols
    /// There is no memory.
    case outOfMemory
    /// The core could not rebind the symbol, or a process could not be started.
    case failure
  }

  /// What went wrong.
  public var code: Code
  /// The function concerned.
  public var symbol: String
  /// The type concerned, or what else is to be said; else empty.
  public var detail = ""
  /// The path of the image concerned; empty if none is, or for the program.
  public var image = ""
  /// The `errno` of the system call that failed, or 0.
  public var systemError: Int32 = 0
}

extension RebindTestingError: CustomStringConvertible {
  public var description: String {
    switch code {
    case .structureTooLarge:
      "cannot rebind \(symbol): \(detail) has more than 32 bytes; write a C function for it and use Rebind"
    case .wrongFields:
      "cannot rebind \(symbol): the cFields of \(detail) do not give its size and alignment"
    case .undefinedSymbol:
      "cannot rebind \(symbol): no loaded image defines it; check the spelling, or load its library first"
    case .neverCalled:
      "cannot rebind \(symbol): no loaded image imports it\(detail.isEmpty ? "" : " (\(detail))")"
    case .severalOriginals:
      "cannot rebind \(symbol): images call different functions of that name; if they differ by version, name one, as in \(symbol)@GLIBC_2.2.5"
    case .threadReachWhileSuspending:
      "cannot rebind \(symbol) for this thread: the body may suspend and go on elsewhere; use .task"
    case .tooManySymbols:
      "cannot rebind \(symbol): too many symbols have been rebound in this process"
    case .outOfMemory:
      "cannot rebind \(symbol): out of memory"
    case .failure:
      "cannot rebind \(symbol)\(image.isEmpty ? "" : " in \(image)"): \(detail)\(systemErrorText)"
    }
  }

  private var systemErrorText: String {
    systemError == 0 ? "" : " (\(String(cString: strerror(systemError))))"
  }
}
