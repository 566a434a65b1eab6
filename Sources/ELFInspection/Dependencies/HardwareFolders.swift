import Glibc
import Rebind

/// The folders beside those of ordinary libraries that have libraries for better processors, as
/// far as this machine's is one.
enum HardwareFolders {
  /// The names for files of a machine, the best first; none for other machines than this one.
  static func names(for machine: Machine) -> [String] { machine == .amd64 ? amd64 : [] }

  /// The processor's features are read once.
  private static let amd64: [String] = {
    guard let file = fopen("/proc/cpuinfo", "re") else { return [] }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0, let start = line {
      let text = String(cString: start)
      guard text.hasPrefix("flags") else { continue }
      let flags = Set(text.split { $0 == " " || $0 == "\n" || $0 == "\t" }.map(String.init))
      var names: [String] = []
      for (name, features) in levels {
        guard flags.isSuperset(of: features) else { break }
        names.insert(name, at: 0)
      }
      return names
    }
    return []
  }()

  /// The levels of the psABI, each on top of the one before, by the kernel's words.
  private static let levels: [(String, [String])] = [
    ("x86-64-v2", ["cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"]),
    (
      "x86-64-v3", ["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"]
    ),
    ("x86-64-v4", ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
  ]
}
