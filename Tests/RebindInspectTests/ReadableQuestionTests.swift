import Foundation
import TestSupport
import Testing

/// Mangled symbols are found by their readable names. The witness is the compiler.
@Suite(.needsCommands, .measured) struct ReadableQuestionTests {
  let fixture = DependencyFixture()

  private static let provided = "_ZN4Shop5priceEi"
  private static let overloaded = "_ZN4Shop5priceEl"

  /// A C++ program whose calls go to a library, and a function of its own.
  private func program() throws -> String {
    try fixture.write(
      "shop.cc",
      Data(
        """
        namespace Shop { int price(int n) { return n; } int price(long n) { return (int)n; } int other() { return 1; } }
        """.utf8))
    try fixture.compile("g++", ["-shared", "-fPIC", "-o", "libshop.so", "shop.cc"])
    try fixture.write(
      "main.cc",
      Data(
        """
        namespace Shop { int price(int); int price(long); }
        namespace Own { __attribute__((noinline)) int helper(int n) { return n + 1; } }
        int main(int n, char **) { return Shop::price(n) + Shop::price((long)n) + Own::helper(n); }
        """.utf8))
    try fixture.compile(
      "g++", ["-O0", "-o", "program", "main.cc", "libshop.so", "-Wl,-rpath,$ORIGIN"])
    return fixture.path("program")
  }

  private func symbols(_ arguments: [String]) throws -> [String] {
    struct Answer: Decodable { var symbol: String }
    return try Document<Answer>("why", arguments).files.map(\.symbol)
  }

  @Test func why() throws {
    let program = try program()
    #expect(try symbols(["Shop::price(int)", program]) == [Self.provided])
    #expect(try symbols(["Shop::price", program]) == [Self.provided, Self.overloaded])
    #expect(
      try symbols(["--readable-name", "Shop::*", program]) == [Self.provided, Self.overloaded])
    let text = try inspect(["why", "Shop::price(int)", program])
    #expect(text.succeeded && text.output.contains("has-slots - 1 "))
    let own = try inspect(["why", "Own::helper", program])
    #expect(own.output.contains("bound-inside "))
    // A function that only a library has is asked about too.
    #expect(try symbols(["Shop::other", program]) == ["_ZN4Shop5otherEv"])
    // A name that nothing has is asked about as it is.
    #expect(try symbols(["Shop::cost", program]) == ["Shop::cost"])
    let none = try inspect(["why", "--readable-name", "Shop::cost", program])
    #expect(none.status == 1 && none.errorOutput.contains("such a readable name"))
    #expect(try inspect(["why"]).status == 64)
    #expect(try inspect(["why", "--readable-name", "x"]).status == 64)
  }

  @Test func siblings() throws {
    let program = try program()
    let pattern = ["--readable-name", "Shop::price(?*)"]
    #expect(
      try Report(pattern + ["--imports", program]).files.first?.symbols?.map(\.name).sorted()
        == [Self.provided, Self.overloaded])
    let slots = try #require(try Report("slots", pattern + [program]).files.first?.slots)
    #expect(slots.map(\.symbol).sorted() == [Self.provided, Self.overloaded])
    // Names and readable names are alternatives.
    let both = try Report(pattern + ["--imports", "--name", "__libc_start_main", program])
    #expect(both.files.first?.symbols?.count == 3)
    let folder = fixture.directory.url.path
    for arguments in [pattern + [folder], [folder] + pattern] {
      let found = try inspect(["who-imports"] + arguments)
      #expect(found.succeeded)
      let lines = found.output.split(separator: "\n")
      #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(" \(program)") })
    }
    let defined = try inspect(["who-imports", "--defines"] + pattern + [folder])
    #expect(defined.output.split(separator: "\n").count == 2)
    #expect(defined.output.contains(" \(folder)/libshop.so\n"))
  }

  /// Names without what a function takes; Swift's, and those of Rust's older mangling.
  @Test func otherLanguages() throws {
    let library = try fixture.library(
      "lib.so",
      """
      void swift(void) __asm__("$s4main3fooyyF");
      void swift(void) {}
      void rust(void) __asm__("_ZN4shop5price17h0123456789abcdefE");
      void rust(void) {}
      void star(void) __asm__("_ZNK1AmlERKS_");
      void star(void) {}
      void call(void) __asm__("_ZN1AclEi");
      void call(void) {}
      void hidden(void) __asm__("_ZN12_GLOBAL__N_11fEv");
      void hidden(void) {}
      """)
    for (name, symbol) in [
      ("main.foo", "$s4main3fooyyF"), ("main.foo() -> ()", "$s4main3fooyyF"),
      ("shop::price", "_ZN4shop5price17h0123456789abcdefE"), ("A::operator[*]", "_ZNK1AmlERKS_"),
      ("A::operator()", "_ZN1AclEi"), ("A::operator()(int)", "_ZN1AclEi"),
      ("(anonymous namespace)::f", "_ZN12_GLOBAL__N_11fEv"),
    ] {
      let found = try Report(["--readable-name", name, library]).files.first?.symbols
      #expect(found?.map(\.name) == [symbol], "\(name)")
    }
  }

  @Test func processes() throws {
    let built = try program()
    let source = try String(contentsOfFile: fixture.path("main.cc"), encoding: .utf8)
      .replacing(
        "int main(int n, char **) {",
        with: """
          #include <unistd.h>
          int main(int n, char **) { char c; (void)!write(1, "ready", 5); while (read(0, &c, 1) > 0);
          """)
    try fixture.write("main.cc", Data(source.utf8))
    try fixture.compile(
      "g++", ["-O0", "-o", "waiting", "main.cc", "libshop.so", "-Wl,-rpath,$ORIGIN"])
    #expect(!built.isEmpty)
    let process = try WaitingProcess(URL(filePath: fixture.path("waiting")))
    let result = try inspect(["why", "Shop::price(long)", "--pid", "\(process.id)"])
    #expect(
      result.succeeded
        && result.output.contains(
          "/waiting:\nsymbol _ZN4Shop5priceEl - Shop::price(long)\nhas-slots - 1 ")
    )
  }
}
