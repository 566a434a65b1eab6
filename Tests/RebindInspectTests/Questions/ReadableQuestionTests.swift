import TestSupport

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
    // Blanks say nothing, but between words.
    for name in ["Shop::price( int )", " Shop::price (int)", "Shop :: price(int )"] {
      #expect(try symbols([name, program]) == [Self.provided])
    }
    #expect(try inspect(["why", "Shop::pri ce(int)", program]).status == 2)
    #expect(
      try symbols(["--readable-name", "Shop::*", program]) == [Self.provided, Self.overloaded])
    let text = try inspect(["why", "Shop::price(int)", program])
    #expect(text.succeeded && text.output.contains("has-slots - 1 "))
    let own = try inspect(["why", "Own::helper", program])
    #expect(own.output.contains("bound-inside "))
    // A function that only a library has is asked about too.
    #expect(try symbols(["Shop::other", program]) == ["_ZN4Shop5otherEv"])
    // No verdict on a readable name that nothing has.
    for arguments in [
      ["Shop::cost"], ["operator new(nothing)"], ["--readable-name", "Shop::cost"],
    ] {
      let none = try inspect(["why"] + arguments + [program])
      #expect(none.status == 2 && none.output.isEmpty)
      #expect(none.errorOutput.contains("such a readable name"))
    }
    // One that may be C's is asked about as it is.
    #expect(try symbols(["cost", program]) == ["cost"])
    #expect(try inspect(["why"]).status == 64)
    #expect(try inspect(["why", "--readable-name", "x"]).status == 64)
  }

  /// A row says which symbol it is about.
  @Test func rowsNameTheSymbol() throws {
    let program = try program()
    let table = try inspect(["why", "Shop::price", "--format", "csv", program]).output
    #expect(table.contains(#","symbol","version","demangledName","reason","#))
    #expect(table.contains(",\(Self.provided),,Shop::price(int),has-slots,"))
    #expect(table.contains(",\(Self.overloaded),,Shop::price(long),has-slots,"))
    let rows = try inspect(["why", "close@V_1", "--format", "rows", program]).output
    #expect(rows.contains(#","symbol":"close","version":"V_1","demangledName":"","reason":""#))
    struct Answer: Decodable { var demangledName: String? }
    let names = try Document<Answer>("why", ["Shop::price", program]).files.map(\.demangledName)
    #expect(names == ["Shop::price(int)", "Shop::price(long)"])
    #expect(try Document<Answer>("why", ["close", program]).files.map(\.demangledName) == [nil])
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

  /// Operators of several words, functions of no namespace, and those of templates, whose readable names
  /// start with what they return.
  @Test func namesOfEveryKind() throws {
    try fixture.write(
      "odd.cc",
      Data(
        """
        struct A { template <class T> T get() const; virtual void f(); };
        template <class T> struct V { template <class U> U get(); };
        int price(int); template <class T> T mx(T, T);
        template <class T> V<T> &vectors(V<T> *, void (*)(T));
        template <class T> bool operator<(T, A); bool operator<<(A, A); void operator*(A, A);
        extern "C" int plain(int); int plain(long);
        namespace N { template <class T> A operator+(T, A); }
        int all(int *i, A a, V<int> v) {
          vectors<int>((V<int> *)0, 0); N::operator+ <int>(1, a); a * a; a << a;
          delete new A(a);
          return mx<int>(*i, 2) + price(3) + v.get<long>() + (1 < a) + a.get<int>() + plain(1) + plain(2L);
        }
        """.utf8))
    try fixture.compile("g++", ["-O0", "-shared", "-fPIC", "-w", "-o", "libodd.so", "odd.cc"])
    let library = fixture.path("libodd.so")
    for (name, symbol) in [
      ("operator new", "_Znwm"), ("operator new(unsigned long)", "_Znwm"), ("price", "_Z5pricei"),
      ("mx<int>", "_Z2mxIiET_S0_S0_"), ("mx<int>(int, int)", "_Z2mxIiET_S0_S0_"),
      ("int mx<int>", "_Z2mxIiET_S0_S0_"), ("int mx<int>(int, int)", "_Z2mxIiET_S0_S0_"),
      ("V<int>::get<long>", "_ZN1VIiE3getIlEET_v"), ("A::get<int>() const", "_ZNK1A3getIiEET_v"),
      ("vectors<int>", "_Z7vectorsIiER1VIT_EPS2_PFvS1_E"), ("operator<<", "_Zls1AS_"),
      ("operator< <int>", "_ZltIiEbT_1A"), ("N::operator+<int>", "_ZN1NplIiEE1AT_S1_"),
      ("operator*", "_Zml1AS_"), ("plain", "plain"),
    ] {
      #expect(try symbols([name, library]) == [symbol], "\(name)")
      if symbol == name || name == "operator*" { continue }
      let found = try Report(["--readable-name", name, library]).files.first?.symbols
      #expect(found?.map(\.name) == [symbol], "\(name)")
    }
    #expect(
      try inspect(["symbols", "--readable-name", "price", library]).output.contains("_Z5pricei"))
    // The returned type alone is no name.
    let none = try inspect(["symbols", "--readable-name", "int", library])
    #expect(none.output.isEmpty)
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
    let none = try inspect(["why", "Shop::cost", "--pid", "\(process.id)"])
    #expect(none.status == 2 && none.output.isEmpty)
    #expect(none.errorOutput.contains("such a readable name"))
  }
}
