/// The names that glibc has for processors of Intel since 2.26: the value of `$PLATFORM`. The
/// corresponding function is `init_cpu_features`.
enum IntelPlatform: String {
  case haswell
  case xeonPhi = "xeon_phi"

  /// - Parameter flags: The processor's features, by the kernel's words.
  init?(flags: Set<String>, isIntel: Bool) {
    guard isIntel else { return nil }
    if flags.isSuperset(of: ["avx512cd", "avx512er", "avx512pf"]) {
      self = .xeonPhi
    } else if flags.isSuperset(of: ["avx2", "bmi1", "bmi2", "abm", "movbe", "popcnt", "fma"]) {
      self = .haswell
    } else {
      return nil
    }
  }
}
