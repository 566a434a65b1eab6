/// The folders that glibc up to 2.36 looks into on x86-64, besides those of ordinary libraries.
///
/// Each is a path of some of these, in this order: `tls`, the platform, and what the processor has.
/// The corresponding functions are glibc's `_dl_important_hwcaps` and `init_cpu_features`.
struct LegacyHardware {
  /// The folders, such as `tls/x86_64`, in the order of preference.
  let folders: [String]
  /// The bits that an entry of the cache may have for such a library.
  private let allowed: UInt64
  /// The bit of the platform; 0 if it has none.
  private let platform: UInt64

  /// - Parameter flags: The processor's features, by the kernel's words.
  init(flags: Set<String>, isIntel: Bool) {
    let named = IntelPlatform(flags: flags, isIntel: isIntel)
    let hasAVX512 =
      isIntel && !flags.contains("avx512er")
      && flags.isSuperset(of: ["avx512cd", "avx512bw", "avx512dq", "avx512vl"])
    var parts = ["tls", named?.rawValue ?? "x86_64"]
    if hasAVX512 { parts.append("avx512_1") }
    parts.append("x86_64")
    var folders: [String] = []
    for choice in (1..<1 << parts.count).reversed() {
      let chosen = parts.indices.filter { choice >> (parts.count - 1 - $0) & 1 != 0 }
      let path = chosen.map { parts[$0] }.joined(separator: "/")
      if !folders.contains(path) { folders.append(path) }
    }
    self.folders = folders
    // HWCAP_X86_64, HWCAP_X86_AVX512_1, and the bit of `tls`.
    allowed = 1 << 1 | (hasAVX512 ? 1 << 2 : 0) | 1 << 63
    platform =
      switch named {
      case .xeonPhi: 1 << 51
      case .haswell: 1 << 50
      case nil: 0
      }
  }

  /// True if the loader takes a library with these bits in the cache.
  func takes(_ bits: UInt64) -> Bool {
    let stated = bits & Self.platforms
    return bits & ~(allowed | Self.platforms) == 0 && (stated == 0 || stated == platform)
  }

  private static let platforms: UInt64 = 0xf << 48
}
