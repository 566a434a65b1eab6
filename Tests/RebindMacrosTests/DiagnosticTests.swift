import TestSupport

/// The compiler's messages for mistakes, and their places.
@Suite(.needsMacros, .measured) struct DiagnosticTests {
  /// A declaration with a mistake, where the compiler finds it, and what it says.
  struct Mistake: Sendable, CustomTestStringConvertible {
    var source: String
    /// The column of the declaration's first line.
    var column: Int
    var message: String
    var testDescription: String { source.count < 100 ? source : "\(source.prefix(100))…" }

    init(_ source: String, _ column: Int, _ message: String) {
      (self.source, self.column, self.message) = (source, column, message)
    }
  }

  /// One extension alone, as the compiler expands it after it has found other mistakes.
  static let mistakes = [strings, priorities, places, [onExtension]]

  private static let strings = [
    Mistake(#"#annotate("", "k")"#, 11, "the group is empty"),
    Mistake(#"#annotate("g", "")"#, 16, "the key is empty"),
    Mistake(#"@Annotated(group: "", key: "k") struct A1 {}"#, 19, "the group is empty"),
    Mistake(#"@Annotated(group: "g", key: "") struct A2 {}"#, 29, "the key is empty"),
    Mistake(
      #"#annotate("g", "\#(String(repeating: "ä", count: 512))")"#, 16,
      "the key has 1024 bytes of UTF-8, and may have 1023 at most"),
    Mistake(
      #"#annotate("\#(String(repeating: "g", count: 1024))", "k")"#, 11,
      "the group has 1024 bytes of UTF-8, and may have 1023 at most"),
    Mistake(
      #"#annotate("g", "k", value: "\#(String(repeating: "v", count: 8192))")"#, 28,
      "the value has 8192 bytes of UTF-8, and may have 8191 at most"),
    Mistake(
      #"#annotate("g", "a\0b")"#, 16, "the key has a zero byte, which would end it"),
    Mistake(
      #"#annotate("g", "k", value: "\u{0}")"#, 28,
      "the value has a zero byte, which would end it"),
    Mistake(
      #"let k = "k"; #annotate("g", k)"#, 29,
      "the key has to be a string literal: it is stored when the program is compiled"),
    Mistake(
      #"#annotate("g", "k" + "l")"#, 16,
      "the key has to be a string literal: it is stored when the program is compiled"),
    Mistake(
      #"@Annotated(group: "g", key: "k\(1)") struct A3 {}"#, 31,
      "the key cannot be interpolated: it is stored when the program is compiled"),
  ]

  private static let priorities = [
    Mistake(
      #"#annotate("g", "k", priority: 2_147_483_648)"#, 31,
      "the priority has to be from -2147483648 to 2147483647: it has 32 bits"),
    Mistake(
      #"@Annotated(group: "g", key: "k", priority: -2147483649) struct A4 {}"#, 44,
      "the priority has to be from -2147483648 to 2147483647: it has 32 bits"),
    Mistake(
      #"#annotate("g", "k", priority: 1 + 1)"#, 31,
      "the priority has to be an integer literal: it is stored when the program is compiled"),
  ]

  private static let places = [
    Mistake(
      #"@Annotated(group: "g", key: "k") struct A5<T> {}"#, 1,
      "'@Annotated' cannot be on a generic type: a registry would not know for which arguments"),
    Mistake(
      #"struct A6<T> { @Annotated(group: "g", key: "k") struct B {} }"#, 16,
      "'@Annotated' cannot be on a generic type: a registry would not know for which arguments"),
    Mistake(
      #"@Annotated(group: "g", key: "k") protocol A7 {}"#, 1,
      "'@Annotated' cannot be on a protocol: annotate the types that conform"),
    Mistake(
      #"@Annotated(group: "g", key: "k") struct A8: ~Copyable {}"#, 1,
      "'@Annotated' cannot be on a type that is '~Copyable': 'Any' cannot hold it"),
    Mistake(
      #"@Annotated(group: "g", key: "k") func first() {}"#, 1,
      "'member' macro cannot be attached to global function ('first')"),
    Mistake(
      #"struct A9<T> { #annotate("g", "k") }"#, 16,
      "'#annotate' cannot be in a generic type, which has no static storage"),
    Mistake(
      #"protocol A10 { #annotate("g", "k") }"#, 16,
      "'#annotate' cannot be in a protocol, which has no static storage"),
    Mistake(
      #"func second() { #annotate("g", "k") }"#, 17,
      "'#annotate' has to be at file scope or in a type, not in a function"),
  ]

  private static let onExtension = Mistake(
    #"@Annotated(group: "g", key: "k") extension Int {}"#, 1,
    "'@Annotated' cannot be on an extension: put it on the type itself")

  @Test(arguments: mistakes)
  func mistakesAreToldWhereTheyAre(mistakes: [Mistake]) throws {
    let sources = mistakes.map(\.source)
    let result = try compileSwift((["import RebindMacros"] + sources).joined(separator: "\n"))
    #expect(!result.succeeded)
    for (line, mistake) in zip(2..., mistakes) {
      let message = "main.swift:\(line):\(mistake.column): error: \(mistake.message)"
      #expect(result.errorOutput.contains(message), "\(result.errorOutput)")
    }
  }

  /// The compiler offers a text for the mistake's place.
  @Test func mistakesHaveARemedy() throws {
    let result = try compileSwift(
      #"""
      import RebindMacros
      @Annotated(group: "g", key: "") struct Mail {}
      #annotate("g", "a\0b")
      #annotate("g", "k", priority: 9_999_999_999)
      """#, flags: ["-diagnostic-style", "llvm"])
    let lines = result.errorOutput.split(separator: "\n")
      .map { $0.trimmingPrefix(while: \.isWhitespace) }
    for (place, offer, replacement) in [
      ("2:29", "use the type's name", #""Mail""#), ("3:16", "remove the zero byte", #""ab""#),
      ("4:31", "use 2147483647", "2147483647"),
    ] {
      #expect(
        lines.contains { $0.hasSuffix("main.swift:\(place): note: \(offer)") },
        "\(result.errorOutput)")
      #expect(lines.contains { $0 == replacement }, "\(result.errorOutput)")
    }
  }

  /// The longest strings, and every place that has room for a record.
  @Test(.notInCheck, arguments: ["-Onone", "-O"], [[], ["-default-isolation", "MainActor"]])
  func whatIsRightCompiles(level: String, isolation: [String]) throws {
    let longest = String(repeating: "x", count: 1023)
    let result = try compileSwift(
      """
      import RebindMacros

      #annotate("\(longest)", "\(longest)", value: "\(String(repeating: "v", count: 8191))")
      #annotate("g", \"""
        lines \\"quoted\\" \\u{48}
        \""", value: #"\\n"#, priority: -2_147_483_648)
      #annotate("g", "reference", creating: make)
      nonisolated func make() -> Int { 1 }
      @Annotated(group: "g", key: "open") open class Open { public init() {} }
      @Annotated(group: "g", key: "inherits") final class Inherits: Open {}
      @MainActor @Annotated(group: "g", key: "main") class Main {}
      @MainActor @Annotated(group: "g", key: "made") class MainMade: AnnotationCreatable {
        required nonisolated init() {}
      }
      @Annotated(group: "g", key: "default") final class Default: AnnotationCreatable { init() {} }
      @Annotated(group: "g", key: "actor") actor Actor {}
      @Annotated(group: "g", key: "case") indirect enum Case: AnnotationCreatable {
        case one
        init() { self = .one }
      }
      @Annotated(group: "g", key: "keyword") struct `class` {
        @Annotated(group: "g", key: "inner", value: "v", priority: 1) fileprivate struct Inner {}
        @Annotated(group: "g", key: "twice") @Annotated(group: "h", key: "twice") struct Twice {}
      }
      extension Open {
        #annotate("g", "extension") { 1 as any Sendable }
        @Annotated(group: "g", key: "in an extension") struct Inner {}
      }
      func function() { @Annotated(group: "g", key: "local") struct Local {} }
      // A module of theirs may have these names.
      struct UInt32 {}
      struct AnnotationRequest {}
      """, flags: [level] + isolation)
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }
}
