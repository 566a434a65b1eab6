import Rebind
import TestSupport

/// The messages on the pages "Nothing happened?" and Reach are those that programs print.
@Suite(.measured) struct NothingHappenedTests {
  private static let functions = """
    int price_of(int units) { return units * 7; }
    static __attribute__((noinline)) int discount_of(int units) { return units / 2; }
    int total(int units) { return price_of(units) - discount_of(units); }

    """

  /// Prints what `apply` and `diagnose` say of each first try.
  private static let program = """
    import Glibc
    import Rebind

    @_silgen_name("total") func total(_ units: CInt) -> CInt

    typealias Price = @convention(c) (CInt) -> CInt

    func attempt(
      _ name: String, version: String? = nil, library: String? = nil,
      in scope: RebindingScope = .all, mayComeLater: Bool = false
    ) {
      let hook = Rebinding<Price>(name, version: version, library: library)
      do {
        for line in try hook.diagnose(in: scope) { print(line) }
        print(try hook.apply(in: scope, mayComeLater: mayComeLater) { units in units })
      } catch { print(error) }
    }

    _ = total(3)
    attempt("price_of")
    attempt("discount_of")
    attempt("cloes")
    attempt("print")
    attempt("sqlite3_close")
    attempt("sqlite3_close", mayComeLater: true)
    attempt("inet_nsap_addr")
    attempt("inet_nsap_addr", in: .main)
    attempt("inet_nsap_addr", version: "GLIBC_9.9")
    attempt("__gmon_start__")
    attempt("close", in: .main)
    attempt("close", library: "libm.so.6")
    attempt("memcpy", version: "GLIBC_2.2.5")
    attempt("open")
    """

  @Test(.notInCheck) func everyMessageIsPrinted() throws {
    let scratch = try FixtureBuilder(.clang)
    let folder = scratch.directory.url
    try Data(Self.functions.utf8).write(to: folder.appending(path: "functions.c"))
    try scratch.compile(["-c", "functions.c", "-o", "functions.o"])
    let built = try buildSwift(
      Self.program, to: "shop", objects: ["functions.o"], in: folder)
    try #require(built.succeeded, "\(built.errorOutput)")
    let stripped = try run("strip", ["-o", "stripped", "shop"], currentDirectory: folder)
    try #require(stripped.succeeded, "\(stripped.errorOutput)")

    var printed = ["\(RebindError(code: .staticExecutable, symbol: "close"))"]
    for program in ["shop", "stripped"] {
      let result = try run(folder.appending(path: program).path)
      #expect(result.succeeded, "\(result.errorOutput)")
      printed += result.output.split(separator: "\n").map(String.init)
    }
    let pages = ["NothingHappened", "Reach"].map {
      Places.package.appending(path: "Sources/Rebind/Rebind.docc/\($0).md")
    }
    let shown = try pages.flatMap { try $0.messageLines() }
    try #require(shown.count > 10)
    // The rest of a line may depend on the machine.
    for line in shown {
      let start = line.replacing(#/ …$/#, with: "")
      #expect(printed.contains { $0.hasPrefix(start) }, "\(line): \(printed)")
    }
  }
}
