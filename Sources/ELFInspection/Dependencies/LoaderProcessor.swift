import Glibc
import Rebind

/// This machine's processor as glibc's loader knows it: its name, and the folders of libraries that
/// are built for it.
enum LoaderProcessor {
  /// The names of its folders for files of a machine, the best first; none for other machines than
  /// this one.
  static func folders(for machine: Machine) -> [String] { machine == .amd64 ? amd64 : [] }

  /// The folders of glibc up to 2.36; nil for other machines than this one.
  static func legacy(for machine: Machine) -> LegacyHardware? {
    machine == .amd64 ? LegacyHardware(flags: processor.flags, isIntel: processor.isIntel) : nil
  }

  /// Its name; nil without one, and for files of other machines.
  static func platform(for machine: Machine) -> String? {
    machine == .amd64
      ? IntelPlatform(flags: processor.flags, isIntel: processor.isIntel)?.rawValue : nil
  }

  private static let amd64: [String] = {
    var names: [String] = []
    for (name, features) in levels {
      guard processor.flags.isSuperset(of: features) else { break }
      names.insert(name, at: 0)
    }
    return names
  }()

  /// The processor's features, by the kernel's words.
  private static let processor: (flags: Set<String>, isIntel: Bool) = {
    guard let file = fopen("/proc/cpuinfo", "re") else { return ([], false) }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    var isIntel = false
    defer { free(line) }
    while getline(&line, &room, file) > 0, let start = line {
      let text = String(cString: start)
      if text.hasPrefix("vendor_id") { isIntel = text.contains("GenuineIntel") }
      guard text.hasPrefix("flags") else { continue }
      return (
        Set(text.split { $0 == " " || $0 == "\n" || $0 == "\t" }.map(String.init)), isIntel
      )
    }
    return ([], isIntel)
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
