import RebindCounting
import TestSupport

/// Where calls are not seen they are not counted: no 0 by mistake.
@Suite(.measured, .notInCheck) struct AbsenceTests {
  private static let source = """
    import RebindCounting
    final class Node {}
    let counts = try countingAllocations { Node() }
    print(counts.allocations as Any, counts.peakUsableBytes != nil)
    print(counts.retains as Any, counts.releases as Any)
    print(counts.objects as Any, counts.exclusivityChecks as Any)
    for absence in counts.absences { print(absence) }
    """

  private func lines(_ flags: [String]) throws -> [String] {
    let program = try RebindProgram(
      Self.source, modules: countingModules, flags: flags + ["-Xlinker", "--build-id"])
    let isInstrumented = flags.contains { $0.hasPrefix("-sanitize") }
    let result = try program.run(under: isInstrumented ? Sanitizers.starter : [])
    #expect(result.succeeded, "\(result.errorOutput)")
    return result.output.split(separator: "\n").map(String.init)
  }

  /// Swift's functions are in the program, and malloc is not.
  @Test func staticStandardLibrary() throws {
    let lines = try lines(["-static-stdlib"])
    #expect(lines.prefix(3) == ["Optional(1) true", "nil nil", "nil nil"])
    #expect(lines.dropFirst(3).count == 4)
    for name in ["swift_retain", "swift_release", "swift_allocObject", "swift_beginAccess"] {
      #expect(
        lines.contains("\(name): the program is linked with -static-stdlib: " + Self.ownRuntime))
    }
  }

  private static let ownRuntime =
    "it has Swift's runtime in it, whose functions it calls through no slot"

  /// A plug-in brings another runtime, whose functions have slots. The program's own calls have none.
  @Test func staticStandardLibraryBesideAnother() throws {
    let program = try RebindProgram(
      """
      import Glibc
      import RebindCounting
      final class Node {}
      let core = dlopen(CommandLine.arguments[1], RTLD_NOW | RTLD_GLOBAL)
      print(core != nil && dlsym(core, "swift_retain") != nil)
      let counts = try countingAllocations { Node() }
      print(counts.allocations as Any, counts.retains as Any, counts.objects as Any)
      print(counts.absences.filter { $0.function == "swift_retain" })
      """, modules: countingModules, flags: ["-static-stdlib"])
    let core = try #require(
      try countingAllocations(of: [.memory, .callingImages]) { Stand() }.images?
        .first { $0.path.hasSuffix("/libswiftCore.so") })
    let result = try run(program.path, [core.path])
    #expect(result.succeeded, "\(result.errorOutput)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.prefix(2) == ["true", "Optional(1) nil nil"])
    #expect(lines.last?.contains(Self.ownRuntime) == true)
  }

  /// An object, so that libswiftCore allocates.
  private final class Stand {}

  @Test func staticExecutable() throws {
    let lines = try lines(["-static-executable"])
    #expect(lines.prefix(3) == ["nil false", "nil nil", "nil nil"])
    #expect(
      lines.contains(
        "malloc: the program is a static executable (-static, -static-executable, or Swift's static "
          + "Linux SDK), so its calls go through no slot"))
  }

  /// The sanitizer's malloc is in the program, and Swift's functions are not.
  @Test(.inCore, arguments: ["address", "thread"])
  func sanitizer(_ sanitizer: String) throws {
    let lines = try lines(["-sanitize=\(sanitizer)"])
    #expect(lines.first == "nil false")
    #expect(lines.dropFirst(2).first == "Optional(1) Optional(0)")
    #expect(
      lines.contains(
        "malloc: the program defines it itself, and its own calls go through no slot"))
  }
}

/// The modules that a program that counts is linked with.
let countingModules = ["RebindCounting", "CRebindCounting", "CRebindReach", "CRebind"]
