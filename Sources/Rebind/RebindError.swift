/// Why a rebinding could not be applied or restored. Nothing has changed then.
public struct RebindError: Error, Sendable, Hashable {
  /// What went wrong; the cases correspond to `crebind_status`.
  public struct Code: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The symbol's name is empty, or a name has a zero byte.
    public static let invalidArgument = Code(rawValue: 1)
    /// Two rebindings of one batch name the same symbol.
    public static let duplicateName = Code(rawValue: 2)
    /// The image is not loaded.
    public static let noSuchImage = Code(rawValue: 3)
    /// The program is statically linked, so its calls go through no slots.
    public static let staticExecutable = Code(rawValue: 4)
    /// An image's dynamic table points outside of its segments.
    public static let brokenImage = Code(rawValue: 5)
    /// `mmap` gave no memory.
    public static let outOfMemory = Code(rawValue: 6)
    /// `mprotect` refused to change the protection of a page.
    public static let protection = Code(rawValue: 7)
    /// Images kept being loaded or unloaded.
    public static let busy = Code(rawValue: 8)
    /// The rebinding is active already.
    public static let alreadyActive = Code(rawValue: 1000)
  }

  public var code: Code
  /// The symbol that was to be rebound.
  public var symbol: String
  /// The path of the image concerned; empty if none is, or for the program.
  public var image: String
  /// The `errno` of the system call that failed, or 0.
  public var systemError: Int32
  /// The dynamic tag that is broken (`DT_*`), or 0.
  public var tag: Int64
  /// The address concerned, or 0.
  public var address: UInt

  public init(
    code: Code, symbol: String, image: String = "", systemError: Int32 = 0, tag: Int64 = 0,
    address: UInt = 0
  ) {
    self.code = code
    self.symbol = symbol
    self.image = image
    self.systemError = systemError
    self.tag = tag
    self.address = address
  }
}

extension RebindError: CustomStringConvertible {
  public var description: String {
    let place = image.isEmpty ? "" : " in \(image)"
    switch code {
    case .invalidArgument:
      return symbol.isEmpty
        ? "cannot rebind a symbol with an empty name"
        : "cannot rebind \(symbol.debugDescription): a name, version or library has a zero byte"
    case .staticExecutable:
      return "cannot rebind \(symbol): \(reason); link the program dynamically"
    case .brokenImage:
      return "cannot rebind \(symbol)\(place): \(reason) (tag 0x\(String(tag, radix: 16)))"
    case .protection:
      return
        "cannot rebind \(symbol)\(place): \(reason) (address 0x\(String(address, radix: 16)), \(systemErrorText))"
    case .busy:
      return "cannot rebind \(symbol)\(place): \(reason); try again"
    case .alreadyActive:
      return "\(symbol) is rebound already: restore it first, or declare a second Rebinding for it"
    default:
      return "cannot rebind \(symbol)\(place): \(reason)"
    }
  }
}
