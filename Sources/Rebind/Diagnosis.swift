#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind

/// How a rebinding acts in one image, or why it does nothing.
///
/// The corresponding C type is `crebind_diagnosis`.
public struct Diagnosis: Sendable, Hashable {
  /// Why a rebinding sees the calls of an image, or does not; the cases correspond to
  /// `crebind_reason`.
  public struct Reason: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The image has slots for the symbol, which a rebinding changes. The detail is `data` if
    /// all of them are pointers in data.
    public static let hasSlots = Self(CREBIND_REASON_HAS_SLOTS)
    /// No image in scope imports the symbol.
    public static let notImported = Self(CREBIND_REASON_NOT_IMPORTED)
    /// The image has the function, and its own calls, if it makes any, go through no slot.
    ///
    /// The detail says why. The image exports the function, and is linked with `-Bsymbolic`, the
    /// symbol is `protected`, or a `sanitizer` defines it there. Or it has the function for itself
    /// alone, by its file's symbol table: `unexported` (usual in programs), `hidden`, or `local`
    /// (static, or made so by the linker). `data`: a variable has the name. "" where that cannot
    /// be told.
    public static let boundInside = Self(CREBIND_REASON_BOUND_INSIDE)
    /// The image imports another name for the function: fortified (`__open_2`), large-file
    /// (`open64`), relative (`openat`), or one that compilers use instead (`puts` for `printf`).
    public static let otherName = Self(CREBIND_REASON_OTHER_NAME)
    /// The image imports another version than the one asked for.
    public static let otherVersion = Self(CREBIND_REASON_OTHER_VERSION)
    /// The image is bound to another library's definition than the one asked for.
    public static let otherLibrary = Self(CREBIND_REASON_OTHER_LIBRARY)
    /// The image has slots for the symbol, but is not in scope. With the detail `kind`, the image
    /// is in scope, but all its slots are of kinds that are not.
    public static let notInScope = Self(CREBIND_REASON_NOT_IN_SCOPE)
    /// No loaded image defines the symbol, as far as their tables and files tell: it is misspelt,
    /// or its library is not loaded yet. If the reason has an image, that image exports the name,
    /// but not in the `version` that was asked for, or it is not the `library` that was asked for.
    public static let notDefined = Self(CREBIND_REASON_NOT_DEFINED)
    /// The program is statically linked.
    public static let staticExecutable = Self(CREBIND_REASON_STATIC_EXECUTABLE)
    /// The image asks for the symbol, but no slot of it can be changed.
    ///
    /// The detail says why. Nothing defines the symbol, which is `weak` or just `undefined`. The
    /// program has `assigned` the pointer. The image's relocations are `packed` for Android, which this
    /// loader does not apply; this may be told beside ``hasSlots``. "" for slots that lie in code, or
    /// unaligned.
    public static let unchangeable = Self(CREBIND_REASON_UNCHANGEABLE)
    /// The image's calls bypass its slots for the symbol, as glibc has rewritten its PLT
    /// into direct jumps (`glibc.cpu.plt_rewrite`, since 2.39).
    public static let bypassed = Self(CREBIND_REASON_BYPASSED)
    /// The image has slots for the symbol in pages that are sealed (`mseal`).
    public static let sealed = Self(CREBIND_REASON_SEALED)
    /// The image may have the function for itself alone: nothing else has it, and the image's
    /// file is `stripped` of its symbols, or `unreadable`: damaged or replaced, for example.
    public static let mayBeInside = Self(CREBIND_REASON_MAY_BE_INSIDE)
    /// Nothing defines the symbol, but the image exports a function whose name differs in a letter
    /// or two. The detail is that name.
    public static let similarName = Self(CREBIND_REASON_SIMILAR_NAME)
    /// The image calls a function of that name of its own, in a local scope, and its slots are left
    /// alone. See ``RebindingReport/leftAloneSlots``.
    public static let otherScope = Self(CREBIND_REASON_OTHER_SCOPE)
  }

  /// The symbol that is or would be rebound.
  public var symbol: String
  /// Why the calls are seen, or are not.
  public var reason: Reason
  /// The image concerned; nil if the reason concerns no particular image.
  public var image: Image?
  /// The other name or version that the image asks for, the library that it is bound to, the
  /// similar name, or a word that the reason explains; "" for none.
  public var detail: String
  /// How many slots the image has for the symbol, or for the other name.
  public var slotCount: Int
}

extension Diagnosis.Reason: CustomStringConvertible {
  /// An English sentence without a full stop. The corresponding C function is
  /// `crebind_reason_description`.
  public var description: String { sentence }
}

extension Diagnosis: CustomStringConvertible {
  /// `open in libcurl.so.4: imports another name of the function (open64)`.
  public var description: String {
    let place = image.map { " in \($0.name)" } ?? ""
    let meaning = meaning
    // A meaning of its own says what the detail does.
    let isSaid = detail.isEmpty || meaning != reason.sentence
    let more = isSaid ? slotCount > 0 ? " (\(slotCount))" : "" : " (\(detail))"
    return "\(symbol)\(place): \(meaning)\(more)"
  }

  /// The meaning of the reason, with its detail, as an English sentence without a full stop.
  ///
  /// The corresponding C function is `crebind_reason_meaning`.
  public var meaning: String { reason.meaning(of: detail) }
}
#endif
