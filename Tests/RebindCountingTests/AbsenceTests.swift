import TestSupport
import Testing

/// Where calls are not seen they are not counted: no 0 by mistake.
@Suite(.measured) struct AbsenceTests {
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
    let result = try program.run()
    #expect(result.succeeded, "\(result.errorOutput)")
    return result.output.split(separator: "\n").map(String.init)
  }

  /// Swift's functions are in the program, and malloc is not.
  @Test func staticStandardLibrary() throws {
    let lines = try lines(["-static-stdlib"])
    #expect(lines.prefix(3) == ["Optional(1) true", "nil nil", "nil nil"])
    #expect(lines.dropFirst(3).count == 4)
    for name in ["swift_retain", "swift_release", "swift_allocObject", "swift_beginAccess"] {
      #expect(lines.contains { $0.hasPrefix("\(name): \(name) is hidden in app and has no slot") })
    }
  }

  @Test func staticExecutable() throws {
    let lines = try lines(["-static-executable"])
    #expect(lines.prefix(3) == ["nil false", "nil nil", "nil nil"])
    #expect(
      lines.contains(
        "malloc: the program is statically linked, so its calls go through no slots"))
  }

  /// The sanitizer's malloc is in the program, and Swift's functions are not.
  @Test(.tags(.sanitizes), .notInCheck, arguments: ["address", "thread"])
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
