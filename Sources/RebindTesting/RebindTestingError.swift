#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Why a function could not be rebound for a test; nothing has changed then. With ``Code/notStruck`` and
/// ``Code/descriptorsNotSeen`` the body has run.
public struct RebindTestingError: Error, Sendable, Hashable {
  /// A kind of failure. Later versions may add some.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `undefinedSymbol`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The symbol's name is empty or has a zero byte.
    public static let invalidName = Code(rawValue: "invalidName")
    /// A structure has more than 32 bytes.
    public static let structureTooLarge = Code(rawValue: "structureTooLarge")
    /// A structure's stated fields do not give its size or alignment.
    public static let wrongFields = Code(rawValue: "wrongFields")
    /// The type of the function's result is not known: it is no ``CValue``.
    public static let unknownResult = Code(rawValue: "unknownResult")
    /// A fault limits a count, and the function is not known to take one.
    public static let noCount = Code(rawValue: "noCount")
    /// A fault has calls, conditions or results that cannot be, such as call 0.
    public static let invalidFault = Code(rawValue: "invalidFault")
    /// A fault's result is of another type than the function's, as far as that is known.
    public static let wrongResult = Code(rawValue: "wrongResult")
    /// A fault struck less often than asked. The body has run.
    public static let notStruck = Code(rawValue: "notStruck")
    /// No loaded image defines the symbol.
    public static let undefinedSymbol = Code(rawValue: "undefinedSymbol")
    /// No loaded image calls the symbol, so that no call would be seen.
    public static let neverCalled = Code(rawValue: "neverCalled")
    /// A sanitizer defines the function in the program, whose calls would not be seen.
    public static let intercepted = Code(rawValue: "intercepted")
    /// Images call different functions of that name.
    public static let severalOriginals = Code(rawValue: "severalOriginals")
    /// Swift's runtime has the function for its own code, such as `swift_retain`. RebindCounting counts
    /// its calls.
    public static let runtimeFunction = Code(rawValue: "runtimeFunction")
    /// The symbol is a variable, such as `environ`.
    public static let variable = Code(rawValue: "variable")
    /// More symbols have been rebound than the program has stubs for.
    public static let tooManySymbols = Code(rawValue: "tooManySymbols")
    /// A handler, or a fault that returns a structure, needs libffi, which is not installed.
    public static let libffiMissing = Code(rawValue: "libffiMissing")
    /// Nothing tells which threads run the jobs of Swift's runtime, as it is linked into the program.
    public static let jobsNotSeen = Code(rawValue: "jobsNotSeen")
    /// A search allows calls of a function that it does not look at.
    public static let notBlocking = Code(rawValue: "notBlocking")
    /// The environment's `REBIND_SEED` is no number.
    public static let invalidSeed = Code(rawValue: "invalidSeed")
    /// A search allows descriptors of a function that it does not look at.
    public static let notOpening = Code(rawValue: "notOpening")
    /// Calls may have opened descriptors, and could not be followed. The body has run.
    public static let descriptorsNotSeen = Code(rawValue: "descriptorsNotSeen")
    /// Memory has run out.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// The core could not rebind the symbol, or a process could not be started.
    public static let failure = Code(rawValue: "failure")
    /// Rebind works on Linux, and this is another system.
    public static let unsupported = Code(rawValue: "unsupported")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public var code: Code
  /// The function concerned.
  public var symbol: String
  /// The type concerned, or the reason in words; else empty.
  public var detail = ""
  /// The path of the image concerned; empty for the program, and if no image is concerned.
  public var image = ""
  /// The `errno` of the system call that failed, or 0.
  public var systemError: Int32 = 0

  /// An error to compare with or to throw in place of another.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - symbol: The function concerned.
  ///   - detail: The type concerned, or the reason in words.
  ///   - image: The path of the image concerned.
  ///   - systemError: The `errno` of the system call that failed, or 0.
  public init(
    code: Code, symbol: String, detail: String = "", image: String = "", systemError: Int32 = 0
  ) {
    (self.code, self.symbol, self.detail) = (code, symbol, detail)
    (self.image, self.systemError) = (image, systemError)
  }
}

extension RebindTestingError: CustomStringConvertible {
  /// The symbol and the reason.
  public var description: String {
    if code == .notStruck || code == .unsupported { return detail }
    let place = image.isEmpty ? "" : " in \(image)"
    if code == .notBlocking {
      return
        "\(symbol) cannot be allowed to block: it is not among the functions that are looked at"
    }
    if code == .invalidSeed { return "\(symbol) is no number from 0 to \(UInt64.max): \(detail)" }
    if code == .notOpening {
      return
        "\(symbol) cannot be allowed to leave descriptors open: it is not among the functions that "
        + "are looked at"
    }
    if code == .descriptorsNotSeen {
      return
        "\(detail) \(detail == "1" ? "call" : "calls") that may open or close a descriptor could "
        + "not be followed, so that others may be open"
    }
    return "cannot rebind \(symbol.isEmpty ? "\"\"" : symbol)\(place): \(reason)\(systemErrorText)"
  }

  private var reason: String {
    switch code {
    case .invalidName: symbol.isEmpty ? "the name is empty" : "the name has a zero byte"
    case .structureTooLarge:
      "\(detail) has more than 32 bytes; write a C function for it and use Rebind"
    case .wrongFields: "the cFields of \(detail) do not give its size and alignment"
    case .unknownResult: "it returns \(detail), which is no CValue; see CStructure"
    case .noCount: "it is not known which argument is its count; write a handler"
    case .undefinedSymbol: detail.isEmpty ? "no loaded image defines it" : detail
    case .neverCalled: detail.isEmpty ? "no loaded image imports it" : detail
    case .intercepted:
      "a sanitizer defines it in the program, whose own calls go through no slot; "
        + "run this test without the sanitizer"
    case .severalOriginals where !detail.isEmpty:
      "\(detail) calls its own \(symbol); rebind it in that image alone, with a Rebinding's scope"
    case .severalOriginals:
      "images call different functions of that name; if they differ by version, name one, as in "
        + "\(symbol)@GLIBC_2.2.5"
    case .runtimeFunction:
      "Swift's compiled code calls it at any time, and counts on its effect and its registers; "
        + "count its calls with RebindCounting"
    case .variable: "it is a variable, not a function"
    case .tooManySymbols:
      "it is the first one beyond the functions that a process can rebind, \(detail)"
    case .libffiMissing:
      "its handler is called by libffi, which cannot be opened: install libffi8 "
        + "(sudo apt-get install libffi8, or libffi for other systems)"
    case .jobsNotSeen:
      "Swift's runtime calls it through no slot, so that nobody knows which threads run its jobs; "
        + "link the runtime dynamically, without -static-stdlib"
    case .outOfMemory: "out of memory"
    default: detail
    }
  }

  private var systemErrorText: String {
    #if os(Linux)
    systemError == 0 ? "" : " (\(String(cString: strerror(systemError))))"
    #else
    ""
    #endif
  }
}
