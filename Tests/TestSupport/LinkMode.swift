/// A way to link a file with annotations: a linker, and what it makes.
public struct LinkMode: Sendable, CustomStringConvertible {
  public enum Linker: String, Sendable, CaseIterable { case bfd, gold, lld }
  public enum Kind: String, Sendable, CaseIterable {
    case shared, program, fixedProgram, staticProgram, staticPIE, packedRelocations
  }

  public var linker: Linker
  public var kind: Kind

  public init(_ linker: Linker, _ kind: Kind) {
    self.linker = linker
    self.kind = kind
  }

  /// Those that the linkers can: gold has neither static PIEs nor packed relocations.
  public static let all: [LinkMode] = Linker.allCases.flatMap { linker in
    Kind.allCases.filter { linker != .gold || ($0 != .staticPIE && $0 != .packedRelocations) }
      .map { LinkMode(linker, $0) }
  }

  public var description: String { "\(linker) \(kind)" }

  /// gcc's for GNU's linkers; the toolchain's lld belongs to clang.
  public var compiler: Compiler { linker == .lld ? .clang : .gcc }

  /// The options that make a compiler link so.
  public var flags: [String] {
    let kindFlags =
      switch kind {
      case .shared: ["-shared", "-fPIC"]
      case .program: ["-pie", "-fPIE", "-DWITH_MAIN"]
      case .fixedProgram: ["-no-pie", "-fno-pie", "-DWITH_MAIN"]
      case .staticProgram: ["-static", "-fno-pie", "-DWITH_MAIN"]
      case .staticPIE: ["-static-pie", "-fPIE", "-DWITH_MAIN"]
      case .packedRelocations: ["-pie", "-fPIE", "-DWITH_MAIN", "-Wl,-z,pack-relative-relocs"]
      }
    return ["-fuse-ld=\(linker)"] + kindFlags
  }
}
