import TestSupport

/// The code that the compiler has to accept, and to refuse.
@Suite(.measured) struct CompileTimeTests {
  /// A constant that the compiler initialises in place needs no check of that at each use.
  @Test func staticRebindingIsInitialisedInPlace() throws {
    let source = """
      import Rebind
      enum Hooks { static let close = Rebinding<@convention(c) (CInt) -> CInt>("close") }
      @_cdecl("call") func call(_ file: CInt) -> CInt { Hooks.close.original(file) }
      """
    let result = try compileSwift(source, flags: ["-O"])
    #expect(result.errorOutput == "" && result.output.contains("sil_global"))
    #expect(!result.output.contains("builtin \"once\""))
  }

  /// No reference to the function is left, which would be a slot.
  @Test func statedTypeIsComparedInPlace() throws {
    let source = """
      import Glibc
      import Rebind
      enum Hooks {
        typealias Open = @convention(c) (UnsafePointer<CChar>, CInt, mode_t) -> CInt
        static let user = Rebinding<@convention(c) () -> uid_t>("getuid", like: getuid)
        static let open = Rebinding<Open>("open", like: { Glibc.open($0, $1, $2) })
      }
      @_cdecl("callGetuid") func callGetuid() -> uid_t { Hooks.user.original() }
      @_cdecl("callOpen") func callOpen() -> CInt { Hooks.open.original("", 0, 0) }
      """
    let result = try compileSwift(source, flags: ["-O"])
    #expect(result.errorOutput == "" && result.output.contains("sil_global"))
    #expect(!result.output.contains("builtin \"once\""))
    #expect(!result.output.contains("@getuid") && !result.output.contains("@$s5Glibc4open"))
  }

  /// In Swift 6 mode, version 6.3.1 of the compiler refuses it too, but by a
  /// crash of its SendNonSendable pass in place of the diagnostic.
  @Test(arguments: [5, 6])
  func capturingReplacementIsRefused(languageMode: Int) throws {
    let result = try compileSwift(
      """
      import Rebind
      let hook = Rebinding<@convention(c) (CInt) -> CInt>("close")
      func count(_ step: CInt) throws { try hook.apply { $0 + step } }
      """, languageMode: languageMode)
    #expect(!result.succeeded)
    guard languageMode == 5 else { return }
    #expect(
      result.errorOutput.contains("cannot be formed from a closure that captures context"))
  }

  /// So is a local rebinding in its own replacement.
  @Test(arguments: [5, 6])
  func replacementThatUsesALocalRebindingIsRefused(languageMode: Int) throws {
    let result = try compileSwift(
      """
      import Rebind
      func hook() throws {
        let close = Rebinding<@convention(c) (CInt) -> CInt>("close")
        try close.apply { close.original($0) }
      }
      """, languageMode: languageMode)
    #expect(!result.succeeded)
    guard languageMode == 6 else { return }
    // Where a compiler says it better, Rebinding's documentation need not.
    #expect(result.errorOutput.contains("SendNonSendable"))
    #expect(result.errorOutput.contains("std::out_of_range"))
  }

  /// The constants of the format come with either module that shows them, and so do their members.
  @Test(arguments: [
    ("Rebind", "[\\DynamicTable.Entry.tag.name]; let type = Rebind.SymbolType.function"),
    ("RebindFiles", "[\\ELFFile.machine.name, \\.type.name]; let type = ImageType.sharedObject"),
  ])
  func vocabularyComesWithOneImport(module: String, code: String) throws {
    let result = try compileSwift(
      "import \(module)\nlet paths = \(code)",
      flags: ["-enable-upcoming-feature", "MemberImportVisibility"])
    #expect(result.succeeded && result.errorOutput == "", "\(result.errorOutput)")
  }

  private static let declarations = """
    import Rebind
    import RebindRegistry
    let hook = Rebinding<@convention(c) (CInt) -> CInt>("close")

    """

  @Test(arguments: [
    "",
    """
    let a: Int = try withRebinding(hook.replaced { $0 + 1 }, in: .main) { 1 }
    let b: Int = try await withRebindings(in: .all) {
      hook.replaced { $0 + 1 }
      hook.replaced { $0 + 2 }
    } body: {
      await Task.yield()
      return 2
    }
    do {
      let active = try RebindingBatch { hook.replaced { $0 } }.apply()
      print(active.report)
    }
    print(a, b)
    """,
    "func count(_ data: SectionData) -> Int { data.withBytes { $0.byteCount } }",
  ])
  func isAccepted(code: String) throws {
    let result = try compileSwift(Self.declarations + code)
    #expect(result.succeeded && result.errorOutput == "", "\(result.errorOutput)")
  }

  @Test(arguments: [
    (
      #"import Glibc; let user = Rebinding<@convention(c) (CInt) -> uid_t>("getuid", like: getuid)"#,
      "cannot convert value of type"
    ),
    // A Swift closure carries a context, which no caller in C would pass.
    (
      #"let close = Rebinding<(CInt) -> CInt>("close")"#,
      "does not conform to protocol 'BitwiseCopyable'"
    ),
    // A replacement of another type would be called with the wrong arguments.
    ("try hook.apply { (path: UnsafePointer<CChar>) -> CInt in 0 }", "cannot convert value"),
    ("_ = hook.replaced { (a: CInt, b: CInt) -> CInt in 0 }", "expects 1 argument"),
    (
      "_ = try RebindingBatch { hook.replaced { (a: Double) -> CInt in 0 } }.plan()",
      "cannot convert value"
    ),
    ("try withRebinding(hook.replaced { (a: CInt) -> Double in 0 }) {}", "is incompatible with"),
    // A statement that is no replacement has no place in a batch.
    (
      "let batch = RebindingBatch { 1 }",
      "cannot convert value of type 'Int' to expected argument type 'Replacement'"
    ),
    // The bytes are gone when the image is.
    ("func keep(_ data: SectionData) -> RawSpan { data.withBytes { $0 } }", "error: "),
    (
      "func keep(_ data: SectionData) { var kept: RawSpan?; data.withBytes { bytes in kept = bytes } }",
      "lifetime-dependent variable 'kept' escapes its scope"
    ),
    // Several threads have it.
    (
      """
      class Box {}
      func share(_ registry: AnnotationRegistry) throws { _ = try registry.shared("a", as: Box.self) }
      """, "'Box' does not conform to the 'Sendable' protocol"
    ),
  ])
  func isRefused(code: String, diagnostic: String) throws {
    let result = try compileSwift(Self.declarations + code)
    #expect(!result.succeeded && result.errorOutput.contains("error: "))
    #expect(result.errorOutput.contains(diagnostic), "\(result.errorOutput)")
  }

  /// Two owners would restore twice.
  @Test(arguments: ["ActiveRebindings", "AnnotationObservation", "ImageObservation", "Plugin"])
  func tokenCannotBeCopied(type: String) throws {
    let copy = "func copy(_ token: borrowing \(type)) -> \(type) { token }"
    try isRefused(code: copy, diagnostic: "'token' is borrowed and cannot be consumed")
  }
}
