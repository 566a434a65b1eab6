/// An error in applying or restoring a rebinding, or in looking at an image. It leaves everything
/// as it was, but for `covered`.
public struct RebindError: Error, Sendable, Hashable {
  /// A kind of failure. Later versions may add some.
  ///
  /// Each constant down to ``emptyName`` stands for a `crebind_status`; the others are of Swift alone.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `staticExecutable`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A name, version or library has a zero byte, a version or library is empty, the batch is
    /// empty, or the scope names no image or no kind of slot.
    public static let invalidArgument = Code(rawValue: "invalidArgument")
    /// Two rebindings of one batch name the same symbol.
    public static let duplicateName = Code(rawValue: "duplicateName")
    /// The image is not loaded.
    public static let noSuchImage = Code(rawValue: "noSuchImage")
    /// The program is statically linked, so its calls go through no slots.
    public static let staticExecutable = Code(rawValue: "staticExecutable")
    /// An image's dynamic table points outside of its segments, or to a table that contradicts
    /// itself or cannot be read here (`DT_CREL`).
    public static let brokenImage = Code(rawValue: "brokenImage")
    /// `mmap` gave no memory.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// `mprotect` refused to change the protection of a page.
    public static let protection = Code(rawValue: "protection")
    /// Images kept being loaded or unloaded.
    public static let busy = Code(rawValue: "busy")
    /// Another thread is in the predicate of the scope, which a restore would free.
    public static let predicateRuns = Code(rawValue: "predicateRuns")
    /// A slot that has to be changed lies in an image that is sealed (`mseal`).
    public static let sealed = Code(rawValue: "sealed")
    /// `mprotect` refused to close pages of the image, which stay writable from `address` on.
    /// Everything else is as before.
    public static let leftOpen = Code(rawValue: "leftOpen")
    /// Somebody else's hook lies on top of some slots, such as that of another copy of CRebind, and
    /// may lead on to ours; all others are restored. If that hook puts our replacement back one
    /// day, a later call restores the slot. See `Rebinding.restore`.
    public static let covered = Code(rawValue: "covered")
    /// The kernel refused to close pages, and then to open others again, so that some slots lead
    /// to the replacement still; all others are as before. The next call that can restores these
    /// slots; until then the replacement stays in use.
    public static let notTakenBack = Code(rawValue: "notTakenBack")
    /// The symbol has no slot in scope that can be changed, and no loaded image exports it. It is
    /// misspelt, it is linked into an image for that image alone, or its library is not loaded yet.
    /// With `mayComeLater` the rebinding is applied.
    ///
    /// So it is with a weak reference that nothing defines: its slots stay nil.
    public static let undefined = Code(rawValue: "undefined")
    /// The symbol has no slot in scope that can be changed, and images loaded later are not in
    /// scope.
    public static let unreached = Code(rawValue: "unreached")
    /// The symbol's name is empty.
    public static let emptyName = Code(rawValue: "emptyName")
    /// The rebinding is active already.
    public static let alreadyActive = Code(rawValue: "alreadyActive")
    /// The rebinding is not active.
    public static let notActive = Code(rawValue: "notActive")
    /// The rebinding was applied with others, which are verified and restored together.
    public static let partOfBatch = Code(rawValue: "partOfBatch")
    /// The function is called by a convention that a replacement cannot have. On AArch64 these are
    /// `swift_retain`, `swift_release` and their variants: RebindCounting counts their calls.
    public static let otherConvention = Code(rawValue: "otherConvention")
    /// Rebind works on Linux, and this is another system.
    public static let unsupported = Code(rawValue: "unsupported")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public var code: Code
  /// The symbol that was to be rebound, or all symbols if the error concerns a batch as a whole.
  /// Empty for a call that names no symbol.
  public var symbol: String
  /// The path of the image concerned. Empty if no image is concerned, or if it is the program.
  public var image: String
  /// The `errno` of the system call that failed, or 0.
  public var systemError: Int32
  /// The dynamic tag that is broken (`DT_*`), or 0.
  public var tag: Int64
  /// The address concerned, or 0.
  public var address: UInt
  /// For `undefined` and `unreached`, why nothing is reached and what to do, as an English sentence
  /// without a full stop. Otherwise empty.
  public var explanation = ""
  /// The index in its batch of the rebinding that nothing leads to, until that is explained.
  var unexplained: Int?

  /// Makes an error, for `description` to describe.
  package init(
    code: Code, symbol: String = "", image: String = "", systemError: Int32 = 0, tag: Int64 = 0,
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

#if os(Linux) && !REBIND_ELSEWHERE
extension RebindError: CustomStringConvertible {
  /// The failure, its cause, and a remedy.
  public var description: String {
    let name = image.isEmpty ? "the images" : image
    let action = symbol.isEmpty ? "cannot look at \(name)" : "cannot rebind \(symbol)"
    let place = symbol.isEmpty || image.isEmpty ? "" : " in \(image)"
    switch code {
    case .undefined:
      return "\(explanation.isEmpty ? "\(action): \(reason)" : explanation) "
        + "(mayComeLater: true applies it nevertheless)"
    case .unreached: return explanation.isEmpty ? "\(action): \(reason)" : explanation
    case .emptyName: return "cannot rebind: \(reason); give the name that images import"
    case .invalidArgument:
      if symbol.isEmpty {
        return "cannot rebind: the batch is empty, or the scope names no image or no kind of slot"
      }
      return "cannot rebind \(symbol.debugDescription): a name, version or library has a zero "
        + "byte, a version or library is empty, or the scope names no image"
    case .duplicateName: return "\(action): \(reason); leave one of them out"
    case .noSuchImage: return "\(action)\(place): \(reason); look it up again with Image.all"
    case .staticExecutable: return "\(action): \(reason); link the program dynamically"
    case .brokenImage:
      let tag = DynamicTag(rawValue: tag)
      return "\(action)\(place): \(reason) (tag \(tag)); leave the image out of the scope"
    case .outOfMemory:
      return "\(action)\(place): \(reason); see the limits on memory and on mappings "
        + "(vm.max_map_count)"
    case .protection:
      return "\(action)\(place): \(reason) (address \(hexadecimal(address)), "
        + "\(systemErrorText)); a security policy may forbid it, or leave the image out of the "
        + "scope"
    case .leftOpen:
      return "\(action)\(place): \(reason) (address \(hexadecimal(address)), "
        + "\(systemErrorText)); nothing else has changed"
    case .notTakenBack:
      return "\(action)\(place): \(reason) (address \(hexadecimal(address)), "
        + "\(systemErrorText)); keep the replacement able to run, as a later call gives them back"
    case .sealed:
      return "\(action)\(place): \(reason); leave the image out of the scope, or out of each by "
        + "skipsSealedImages"
    case .predicateRuns: return "\(action): \(reason); try again when it has answered"
    case .covered:
      return "cannot restore \(symbol)\(place): \(reason) (address \(hexadecimal(address))); "
        + "restore the hook on top first, or this one again afterwards"
    case .busy: return "\(action)\(place): \(reason); try again"
    case .alreadyActive:
      return "\(symbol) is rebound already: restore it first, or declare a second Rebinding for it"
    case .notActive: return "\(symbol) is not rebound: apply it first"
    case .partOfBatch:
      return "\(symbol) was rebound with others: ask the batch's ActiveRebindings instead"
    case .otherConvention:
      return "\(action): on this machine Swift calls it by a convention of its own "
        + "(preserve_most), which would break its callers; count its calls with RebindCounting"
    default: return "\(action)\(place): \(reason)"
    }
  }
}
#endif
