#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind

/// The processor that an image is for.
///
/// The corresponding field is `e_machine`.
public struct Machine: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The corresponding constant is `EM_386`.
  public static let i386 = Self(rawValue: 3)
  /// Little-endian too. The corresponding constant is `EM_PPC64`.
  public static let ppc64 = Self(rawValue: 21)
  /// The corresponding constant is `EM_S390`.
  public static let s390 = Self(rawValue: 22)
  /// The corresponding constant is `EM_ARM`.
  public static let arm = Self(rawValue: 40)
  /// The corresponding constant is `EM_X86_64`.
  public static let amd64 = Self(rawValue: 62)
  /// The corresponding constant is `EM_AARCH64`.
  public static let aarch64 = Self(rawValue: 183)
  /// The corresponding constant is `EM_RISCV`.
  public static let riscv = Self(rawValue: 243)

  /// The name that JSON output uses; nil for a machine without a name here.
  public var name: String? {
    let known =
      crebind_machine_with(Int32(rawValue), 64) ?? crebind_machine_with(Int32(rawValue), 32)
    return known?.pointee.name.map { String(cString: $0) }
  }
}

extension Machine: CustomStringConvertible {
  /// The name, or else the number: `x86-64`, `machine 8`.
  public var description: String { name ?? "machine \(rawValue)" }
}
#endif
