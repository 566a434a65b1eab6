import TestSupport

/// The first tries of a new user that do not work, and the words that say why, one by one.
@Suite(.measured, .notInCheck) struct FirstTriesTests {
  /// A program that rebinds a function of a number and prints what comes of it.
  private static func source(_ name: String, _ body: String) -> String {
    """
    import Rebind

    enum Hooks {
      typealias Price = @convention(c) (CLong) -> CLong
      static let price = Rebinding<Price>("\(name)")
    }
    \(body)
    """
  }

  private static let tryIt = """
    do {
      print(try Hooks.price.apply { $0 })
      print("price", price_of(1))
    } catch {
      print(error.code)
      print(error)
    }
    """

  private static let own = "long price_of(long units) { return units * 3; }"
  private static let header = "long price_of(long units);"

  private func lines(_ program: RebindProgram) throws -> [String] {
    let result = try program.run()
    #expect(result.succeeded && result.errorOutput == "")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func functionOfTheProgramItself() throws {
    let program = try RebindProgram(
      Self.source("price_of", Self.tryIt), c: Self.own, header: Self.header)
    #expect(
      try lines(program) == [
        "undefined",
        "price_of is linked into app itself and has no slot: make it a dynamic library "
          + "(mayComeLater: true applies it nevertheless)",
      ])
  }

  /// Nothing that comes later helps, and the message does not say so.
  @Test func functionOfTheProgramItselfInAScopeWithoutLaterImages() throws {
    let program = try RebindProgram(
      Self.source(
        "price_of",
        """
        let scopes: [RebindingScope] = [
          .main, .images([try Image.main]), RebindingScope(.all, loadedImagesOnly: true),
        ]
        for scope in scopes {
          do { try Hooks.price.apply(in: scope) { $0 } } catch { print(error.code, error) }
          do {
            try Hooks.price.apply(in: scope, mayComeLater: true) { $0 }
          } catch { print(error.code, error) }
        }
        """), c: Self.own, header: Self.header)
    let line =
      "unreached price_of is linked into app itself and has no slot: make it a dynamic library"
    #expect(try lines(program) == Array(repeating: line, count: 6))
  }

  /// So it is if the program exports it.
  @Test func exportedFunctionOfTheProgram() throws {
    let program = try RebindProgram(
      Self.source(
        "price_of",
        """
        print(try Hooks.price.apply { $0 })
        print(price_of(1), try Hooks.price.restore())
        do { try Hooks.price.apply(in: .main) { $0 } } catch { print(error.code, error) }
        """),
      c: Self.own, header: Self.header, flags: ["-Xlinker", "--export-dynamic"])
    #expect(
      try lines(program) == [
        "0 slots in 0 images changed, 1 symbol without a slot until an image has one",
        "3 0 slots in 0 images changed",
        "unreached price_of is linked into app itself and has no slot: make it a dynamic library",
      ])
  }

  @Test func functionInSwiftOfTheProgramItself() throws {
    let program = try RebindProgram(
      Self.source(
        "price_of",
        "@_cdecl(\"price_of\") public func price_of(_ units: CLong) -> CLong { units * 3 }\n"
          + Self.tryIt))
    #expect(
      try lines(program).last?.hasPrefix("price_of is linked into app itself and has no slot: ")
        == true)
  }

  /// The way out.
  @Test func functionOfADynamicLibrary() throws {
    let program = try RebindProgram(
      Self.source("price_of", Self.tryIt), header: Self.header, library: Self.own)
    #expect(try lines(program) == ["1 slot in 1 image changed", "price 1"])
  }

  @Test func misspeltName() throws {
    let program = try RebindProgram(
      Self.source("prcie_of", Self.tryIt), header: Self.header, library: Self.own)
    #expect(
      try lines(program) == [
        "undefined",
        "no loaded image imports or defines prcie_of: did you mean price_of (libprices.so)? "
          + "(mayComeLater: true applies it nevertheless)",
      ])
  }

  @Test func staticFunction() throws {
    let program = try RebindProgram(
      Self.source("discount_of", Self.tryIt),
      c: """
        static __attribute__((noinline)) long discount_of(long units) { return units / 2; }
        long price_of(long units) { return discount_of(units * 6); }
        """,
      header: Self.header)
    #expect(
      try lines(program).last
        == "discount_of is static in app, or made local there, and has no slot: have a dynamic "
        + "library export it (mayComeLater: true applies it nevertheless)")
  }

  @Test func strippedProgram() throws {
    let program = try RebindProgram(
      Self.source("price_of", Self.tryIt), c: Self.own, header: Self.header,
      flags: ["-Xlinker", "-s"])
    #expect(
      try lines(program).last
        == "no loaded image imports or defines price_of, but app may have it for itself (it is "
        + "stripped): check the spelling, or load its library first "
        + "(mayComeLater: true applies it nevertheless)")
  }

  /// A name that the headers or the compiler replace.
  @Test func nameThatTheCompilerReplaces() throws {
    let program = try RebindProgram(
      Self.source(
        "open",
        """
        price_of(1)
        for line in try Hooks.price.diagnose(in: .main) where line.image?.role == .program {
          print(line)
        }
        do { try Hooks.price.apply(in: .main) { $0 } } catch { print(error.code, error) }
        """),
      c: """
        int open64(const char *path, int flags, ...);
        long price_of(long units) { return open64("/", 0) + units; }
        """,
      header: Self.header)
    let lines = try lines(program)
    #expect(lines.first == "open in app: imports another name of the function (open64)")
    let last = try #require(lines.last)
    #expect(last.hasPrefix("unreached no image in scope has a slot for open, but lib"))
    #expect(last.contains(" more: widen the scope") && !last.contains("mayComeLater"))
  }

  /// A function that nothing imports may be bound to later, so that it is no error.
  @Test func functionThatNobodyCalls() throws {
    let program = try RebindProgram(
      Self.source(
        "unused_price",
        """
        let report = try Hooks.price.apply { $0 }
        print(report, report.unreachedSymbols, report.isPending)
        print(try Hooks.price.restore())
        do {
          try Hooks.price.apply(in: .main) { $0 }
        } catch {
          print(error.code, error)
        }
        print(price_of(1))
        """),
      header: Self.header, library: Self.own + "\nlong unused_price(long units) { return 1; }")
    #expect(
      try lines(program) == [
        "0 slots in 0 images changed, 1 symbol without a slot until an image has one 1 false",
        "0 slots in 0 images changed",
        "unreached no image in scope imports unused_price; widen the scope to serve images that come "
          + "later",
        "3",
      ])
  }

  @Test func whatComesLater() throws {
    let program = try RebindProgram(
      Self.source(
        "no_such_price",
        """
        print(try Hooks.price.apply(mayComeLater: true) { $0 })
        print(try Hooks.price.restore())
        let batch = RebindingBatch { Hooks.price.replaced { $0 } }
        do { _ = try batch.apply() } catch { print(error.code, error.symbol) }
        do { _ = try batch.apply(in: .main, mayComeLater: true) } catch { print(error.code) }
        print(try batch.apply(mayComeLater: true).report.isPending)
        print(try withRebinding(Hooks.price.replaced { $0 }, mayComeLater: true) { 7 })
        // The others of the batch may not.
        extension Hooks { static let other = Rebinding<Price>("no_such_prize") }
        let later = Hooks.price.replaced(mayComeLater: true) { $0 }
        print(try RebindingBatch([later]).apply().report.isPending)
        do {
          _ = try RebindingBatch([later, Hooks.other.replaced { $0 }]).apply()
        } catch { print(error.code, error.symbol, error.explanation.isEmpty) }
        """))
    #expect(
      try lines(program) == [
        "0 slots in 0 images changed, pending until the symbol is defined",
        "0 slots in 0 images changed", "undefined no_such_price", "unreached", "true", "7",
        "true", "undefined no_such_prize false",
      ])
  }

  /// A sanitizer's functions are in the program.
  @Test(.inCore, arguments: ["address", "thread"])
  func functionOfASanitizer(sanitizer: String) throws {
    let program = try RebindProgram(
      Self.source(
        "read",
        """
        let report = try Hooks.price.apply { _ in 0 }
        print(report.interceptedSymbols, report)
        print(try Hooks.price.restore().interceptedSymbols)
        for line in try Hooks.price.diagnose(in: .main) where line.image?.role == .program {
          print(line)
        }
        """), flags: ["-sanitize=\(sanitizer)"])
    let lines = try lines(program)
    try #require(lines.count == 3)
    #expect(lines[0].hasPrefix("1 "))
    #expect(
      lines[0].hasSuffix(
        ", 1 symbol defined in the program by a sanitizer, whose own calls are not seen"))
    #expect(lines[1] == "0")
    #expect(
      lines[2]
        == "read in app: a sanitizer defines the function here: calls of this image go through "
        + "no slot")
  }
}
