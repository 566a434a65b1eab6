#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindCounting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Asks the toolchain's `llvm-symbolizer`, or `addr2line`, for names and lines.
enum Symbolizer {
  /// A function, or one that was inlined, and where the call is in it.
  struct Place: Equatable {
    var function: String?
    var file: String?
    var line: Int?
  }

  /// The places of addresses in a file: one each, and those that it was inlined into. Empty if no tool
  /// is there.
  static func places(of addresses: [UInt64], in file: String) -> [[Place]] {
    guard let tool else { return [] }
    let isOfLLVM = tool.hasSuffix("llvm-symbolizer")
    let input = addresses.map { "0x" + String($0, radix: 16) + "\n" }.joined()
    // An address, and two lines for each of its functions.
    let options = (isOfLLVM ? ["--output-style=GNU"] : []) + ["-a", "-f", "-i", "-C", "-e", file]
    let places = parse(run([tool] + options, input: input))
    return places.count == addresses.count ? places : []
  }

  static func parse(_ output: String) -> [[Place]] {
    var places: [[Place]] = []
    var function: Substring?
    for line in output.split(separator: "\n") {
      if let name = function {
        places[places.count - 1].append(place(of: name, at: line))
        function = nil
      } else if line.hasPrefix("0x") {
        places.append([])
      } else if !places.isEmpty {
        function = line
      }
    }
    return places
  }

  private static func place(of function: Substring, at place: Substring) -> Place {
    // `main.swift:4`, `main.swift:4 (discriminator 2)`, `??:0`, `??:?`
    let words = place.split(separator: " (discriminator", maxSplits: 1)[0]
    let colon = words.lastIndex(of: ":") ?? words.endIndex
    let file = words[..<colon]
    let line = Int(words[colon...].dropFirst()) ?? 0
    return Place(
      function: function == "??" ? nil : String(function), file: file == "??" ? nil : String(file),
      line: line > 0 ? line : nil)
  }

  /// The path of a tool: that of the toolchain whose runtime this is, or one in `PATH`.
  private static let tool: String? = {
    let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
    let candidates =
      (toolchain.map { ["\($0)/llvm-symbolizer"] } ?? [])
      + ["llvm-symbolizer", "addr2line"].flatMap { name in folders.map { "\($0)/\(name)" } }
    return candidates.first { access($0, X_OK) == 0 }
  }()

  /// The folder of the commands of the toolchain that has the runtime, `…/usr/lib/swift/linux`.
  private static var toolchain: String? {
    guard let runtime = describe(UInt(bitPattern: CountingScope.runtime)) else { return nil }
    let parts = runtime.path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 4 else { return nil }
    return parts.dropLast(4).joined(separator: "/") + "/bin"
  }

  /// The output of the tool; empty if it fails.
  private static func run(_ words: [String], input: String) -> String {
    let pointers = words.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    guard let output = crebind_counting_run_symbolizer(pointers, input) else { return "" }
    defer { free(output) }
    return String(cString: output)
  }
}
#endif
