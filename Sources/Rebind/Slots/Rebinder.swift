#if os(Linux) && !REBIND_ELSEWHERE
/// The party that overwrote the loader's word in a slot.
///
/// The corresponding C type is `crebind_rebinder`.
public enum Rebinder: String, Sendable, Hashable {
  /// The slot leads where the loader binds it, or is not bound yet. Also a pointer
  /// in writable data, which is the program's to assign.
  case nobody
  /// An active rebinding of this copy of Rebind.
  case us
  /// Another tool, or another copy of Rebind; the slot's target tells which.
  case someoneElse
}

extension Rebinder: CustomStringConvertible {
  /// `nobody`, `us` or `someone else`.
  public var description: String {
    switch self {
    case .nobody: "nobody"
    case .us: "us"
    case .someoneElse: "someone else"
    }
  }
}
#endif
