import Rebind

/// The machines that a file's tables depend on, and that no image of ours can be for.
extension Machine {
  /// The corresponding constant is `EM_MIPS`.
  static var mips: Self { Self(rawValue: 8) }
  /// The corresponding constant is `EM_ALPHA`.
  static var alpha: Self { Self(rawValue: 0x9026) }
}
