import TestSupport

/// Linkers keep annotations: each way of building an image leaves all of them, in the order of the
/// source, and a note that leads there. `annotated-check.c` looks, in the image.
@Suite(.measured, .inCore) struct AnnotationLinkTests {
  /// The product that the object files are linked into.
  enum Product: String, CaseIterable {
    case program = "-pie"
    case fixedProgram = "-no-pie"
    case staticProgram = "-static"
    case staticPIE = "-static-pie"
    case library = "-shared"

    var compilerFlag: String {
      switch self {
      case .program, .staticPIE: "-fPIE"
      case .fixedProgram, .staticProgram: "-fno-pie"
      case .library: "-fPIC"
      }
    }
  }

  /// How the object files are compiled; each of the linkers then links them.
  struct Build: CustomTestStringConvertible {
    var compiler: Compiler
    var product: Product
    var name: String
    var flags: [String] = []
    var linkFlags: [String] = []
    var linkers = Linker.available
    /// Whether to combine the object files first, with each linker.
    var combines = false
    var testDescription: String { "\(compiler) \(product.rawValue) \(name)" }
  }

  static let sections = ["-O2", "-ffunction-sections", "-fdata-sections"]
  static let dropping = ["-Wl,--gc-sections"]

  static let builds = Compiler.all.flatMap { compiler in
    Product.allCases.flatMap { product in
      let combines = [.program, .library].contains(product)
      // gold has no static PIE; of clang's LTO lld alone knows.
      let lto = compiler == .gcc ? [Linker.bfd, .gold] : [.lld]
      var builds = [
        Build(
          compiler: compiler, product: product, name: "-O0", flags: ["-O0"], combines: combines),
        Build(
          compiler: compiler, product: product, name: "--gc-sections", flags: sections,
          linkFlags: dropping, combines: combines),
        Build(
          compiler: compiler, product: product, name: "-flto", flags: sections + ["-flto"],
          linkFlags: dropping + ["-O2", "-flto"], linkers: lto),
      ]
      if compiler == .clang {
        builds.append(
          Build(
            compiler: compiler, product: product, name: "-flto=thin",
            flags: sections + ["-flto=thin"], linkFlags: dropping + ["-O2", "-flto=thin"],
            linkers: lto))
      }
      if combines {
        let address = ["-O1", "-fsanitize=address"]
        builds.append(
          Build(
            compiler: compiler, product: product, name: "-fsanitize=address", flags: address,
            linkFlags: address, linkers: compiler == .gcc ? Linker.allCases : [.bfd, .lld]))
      }
      return builds.map {
        var build = $0
        build.linkers = build.linkers.filter {
          Linker.available.contains($0) && !(product == .staticPIE && $0 == .gold)
        }
        return build
      }
    }
  }

  @Test(arguments: builds)
  func allAnnotationsAreThere(build: Build) throws {
    let objects = try Objects(build)
    for linker in build.linkers {
      #expect(try objects.found(by: linker) == "20 records\n", "\(linker)")
      guard build.combines else { continue }
      for first in Linker.available {
        // gold's -r forgets what has to be retained. The note still refers to the section, but
        // that is no reason for lld.
        let areDropped = first == .gold && linker == .lld && build.linkFlags == Self.dropping
        #expect(
          try objects.found(by: linker, combinedBy: first)
            == (areDropped ? "0 records\n" : "20 records\n"), "\(first) -r, \(linker)")
      }
    }
  }

  /// The remedy for what gold has done.
  @Test func aReferenceIsAReasonToKeep() throws {
    guard Set(Linker.available).isSuperset(of: [.gold, .lld]) else { return }
    let objects = try Objects(
      Build(
        compiler: .gcc, product: .program, name: "", flags: Self.sections,
        linkFlags: Self.dropping + ["-Wl,-z,nostart-stop-gc"]))
    #expect(try objects.found(by: .lld, combinedBy: .gold) == "20 records\n")
  }

  @Test(arguments: ["-pie", "-static", "-shared"], Linker.available)
  func allAnnotationsAreThereWithMusl(product: String, linker: Linker) throws {
    // A static program that musl-gcc links with lld does not run, whatever is in it.
    guard let musl = Compiler.musl, product != "-static" || linker != .lld else { return }
    let product = try #require(Product(rawValue: product))
    let build = Build(compiler: musl, product: product, name: "", flags: ["-O1"])
    #expect(try Objects(build).found(by: linker) == "20 records\n")
  }

  /// A note leads to any section whose name is a C identifier, as a framework's own with a
  /// pointer for each entry.
  @Test(arguments: Compiler.all, Linker.available)
  func aSectionOfOnesOwnIsFound(compiler: Compiler, linker: Linker) throws {
    let builder = try FixtureBuilder(compiler)
    for flags in [["-pie", "-fPIE"], ["-static"]] {
      let program = try builder.build(
        "indexed-section", from: ["indexed-section.c"],
        flags: linker.flags + flags + Self.sections + Self.dropping, withCore: false)
      let result = try run(program.path)
      #expect(result.errorOutput == "")
      let entries = compiler == .gcc ? "Calendar\nMail" : "Mail\nCalendar"
      #expect(result.output == "Modules: 2\n\(entries)\nNothing: 0\n")
    }
  }

  /// A member that nothing refers to is not taken out of an archive, unless it is asked for.
  @Test(arguments: Linker.available)
  func anArchivesMembersAreLeftOut(linker: Linker) throws {
    let objects = try Objects(Build(compiler: .gcc, product: .program, name: ""))
    try objects.archive()
    let whole = ["-Wl,--whole-archive", "parts.a", "-Wl,--no-whole-archive"]
    #expect(try objects.found(by: linker, in: ["parts.a"]) == "0 records\n")
    #expect(try objects.found(by: linker, in: whole) == "20 records\n")
    let referred = ["-Wl,--undefined=annotated_part_2", "parts.a"]
    #expect(try objects.found(by: linker, in: referred) == "10 records\n")
  }

  /// The fixture's object files: two with annotations, in C and C++, and what looks for them.
  private struct Objects {
    let builder: FixtureBuilder
    let build: Build

    init(_ build: Build) throws {
      self.build = build
      builder = try FixtureBuilder(build.compiler)
      let isLibrary = build.product == .library
      // musl comes without C++.
      let second = build.compiler == .musl ? ["-std=c17"] : ["-x", "c++", "-std=c++17"]
      try compile("annotated.c", ["-std=c11"], to: "1.o")
      try compile("annotated.c", second + ["-DPART=2"], to: "2.o")
      // A reference to the section's start would keep the section.
      let symbols = build.linkFlags.contains("-Wl,--gc-sections") ? [] : ["-DSYMBOLS"]
      try compile("annotated-check.c", symbols + (isLibrary ? ["-DLIBRARY"] : []), to: "check.o")
      try compile("../../Sources/CRebind/sections/annotation-record.c", [], to: "record.o")
      if isLibrary { try compile("annotated-check.c", ["-DCALLER"], to: "caller.o") }
    }

    private func compile(_ source: String, _ flags: [String], to object: String) throws {
      let standard = flags.contains { $0.hasPrefix("-std") } ? [] : ["-std=gnu11"]
      try builder.compile(
        standard + ["-Wall", "-Wextra", "-Werror", build.product.compilerFlag] + build.flags + flags
          + FixtureBuilder.includeFlags
          + ["-c", Places.fixture(source).path, "-o", object])
    }

    func archive() throws {
      try call("ar", ["rcs", "parts.a", "1.o", "2.o"])
    }

    /// Links and runs; what it prints.
    func found(
      by linker: Linker, combinedBy first: Linker? = nil, in parts: [String] = ["1.o", "2.o"]
    ) throws -> String {
      var parts = parts
      if let first {
        try call(first.tool, ["-r"] + parts + ["-o", "combined.o"])
        parts = ["combined.o"]
      }
      // The sanitizer's library comes before the C library.
      let linked = ["check.o", "record.o"] + parts
      let link = [build.product.rawValue] + linker.flags + build.linkFlags
      if build.product == .library {
        try builder.compile(link + linked + ["-o", "library.so"])
        try builder.compile(
          linker.flags + build.linkFlags.filter { $0.hasPrefix("-fsanitize") || $0 == "-flto" }
            + ["caller.o", "library.so", builder.runPath, "-o", "program"])
      } else {
        try builder.compile(link + linked + ["-o", "program"])
      }
      let isInstrumented = build.linkFlags.contains { $0.hasPrefix("-fsanitize") }
      let words = (isInstrumented ? Sanitizers.starter : []) + ["./program"]
      return try call(words[0], Array(words.dropFirst()))
    }

    /// Runs a tool in the builder's folder.
    @discardableResult
    private func call(_ tool: String, _ arguments: [String]) throws -> String {
      let folder = builder.directory.url
      let path =
        tool.hasPrefix("./") ? folder.appending(path: String(tool.dropFirst(2))).path : tool
      let result = try run(path, arguments, currentDirectory: folder)
      #expect(result.succeeded && result.errorOutput == "", "\(tool): \(result.errorOutput)")
      return result.output
    }
  }
}

/// A linker that the tests use if it is there.
enum Linker: String, CaseIterable, CustomStringConvertible {
  case bfd, gold, lld

  var description: String { rawValue }
  var tool: String { "ld.\(rawValue)" }
  var flags: [String] { ["-fuse-ld=\(rawValue)"] }

  static let available = allCases.filter { (try? run($0.tool, ["--version"]).succeeded) == true }
}

extension Compiler {
  /// Nil if it is not installed.
  static let musl: Compiler? = {
    guard (try? run("musl-gcc", ["--version"]).succeeded) == true else { return nil }
    return Compiler("musl-gcc")
  }()
}
