import ELFInspection
import Rebind
import RebindFiles
import TestSupport

/// A diagnosis of a file and one of the same image in this process have the same words.
@Suite(.measured) struct DiagnosisTests {
  private typealias Function = @convention(c) () -> CInt

  private static let source = """
    int diagnosed_called(void) { return 1; }
    __attribute__((visibility("hidden"), noinline)) int diagnosed_hidden(void) { return 2; }
    static __attribute__((noinline, used)) int diagnosed_local(void) { return 3; }
    __attribute__((visibility("protected"), noinline)) int diagnosed_guarded(void) { return 4; }
    int read(int, void *, unsigned long);
    int diagnosed_user(void) {
      return diagnosed_called() + diagnosed_hidden() + diagnosed_local() + diagnosed_guarded();
    }
    int (*diagnosed_pointer)(void) = diagnosed_user;
    int diagnosed_reader(void) { return read(-1, 0, 0); }
    extern __attribute__((weak)) int diagnosed_weak(void);
    int diagnosed_asks(void) { return diagnosed_weak ? diagnosed_weak() : 0; }
    __attribute__((visibility("hidden"), noinline)) int diagnosed_twice(void) { return 6; }
    int diagnosed_counter = 3;
    static int diagnosed_count = 4;
    int diagnosed_counted(void) { return diagnosed_counter + diagnosed_count++; }
    __asm__(".text\\n.globl diagnosed_untyped\\ndiagnosed_untyped:\\n.long 0");
    int diagnosed_sanitized(void) { return 5; }
    int __interceptor_diagnosed_sanitized(void) { return 5; }
    int mangled(void) __asm__("$s1a17diagnosed_mangledyyF");
    int mangled(void) { return 6; }
    """

  @Test(
    .notInCheck,
    arguments: [
      ["-fuse-ld=lld"], ["-fuse-ld=lld", "-Wl,-Bsymbolic"], ["-fuse-ld=bfd"],
      ["-fuse-ld=bfd", "-Wl,-Bsymbolic"], ["-fuse-ld=lld", "-s"],
    ])
  func fileAndImageHaveTheSameWords(flags: [String]) throws {
    let builder = try FixtureBuilder(.gcc)
    let name = "libdiagnosed\(flags.joined().filter(\.isLetter)).so"
    let path = builder.directory.url.appending(path: name).path
    let file = builder.directory.url.appending(path: "diagnosed.c")
    try Data("\(Self.source)\n".utf8).write(to: file)
    // A second function of a name, which comes first and is known less.
    let other = builder.directory.url.appending(path: "other.c")
    try Data(
      "static __attribute__((noinline, used)) int diagnosed_twice(void) { return 7; }\n".utf8
    ).write(to: other)
    try builder.compile(
      ["-O1", "-fno-inline", "-shared", "-fPIC"] + flags + [other.path, file.path, "-o", path])
    let handle = try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL))
    defer { dlclose(handle) }
    let image = try #require(try Image.named(path))
    let graph = try LibraryResolver(LibrarySearch()).graph(of: try ELFFile(path: path))
    let scope = SymbolScope(of: graph)
    for suffix in [
      "called", "hidden", "local", "guarded", "user", "weak", "sanitized", "cakled", "nowhere",
      "twice", "counter", "count", "untyped", "mangled",
    ] {
      let symbol = "diagnosed_\(suffix)"
      let loaded = try Rebinding<Function>(symbol).diagnose(in: .images([image]))
      // A library of another argument may export the similar name as well.
      let ofImage = loaded.filter { $0.image == image || $0.reason == .similarName }
        .map { "\($0.reason.rawValue) \($0.detail) \($0.slotCount)" }
      let ofFile = try graph.diagnose(SoughtSymbol(symbol), in: scope)
        .filter { ![.notImported, .notDefined].contains($0.reason) }
        .map { "\($0.reason.rawValue) \($0.detail) \($0.slotCount)" }
      #expect(ofImage == ofFile, "\(symbol) \(flags)")
      #expect(suffix == "nowhere" && !flags.contains("-s") || !ofImage.isEmpty, "\(symbol)")
    }
  }

  /// A library exports the function, but not as it is asked for.
  @Test func versionsAndLibrariesOfExports() throws {
    let libc = try #require(try Image.all.first { $0.name == "libc.so.6" })
    let graph = try LibraryResolver(LibrarySearch()).graph(of: try ELFFile(path: libc.path))
    let scope = SymbolScope(of: graph)
    func reasons(version: String? = nil, library: String? = nil) throws -> [String] {
      let sought = SoughtSymbol(name: "inet_nsap_addr", version: version, library: library)
      return try graph.diagnose(sought, in: scope).map { "\($0.reason.rawValue) \($0.detail)" }
    }
    #expect(try reasons().first == "3 ")
    #expect(try reasons(library: "libc.so.6").first == "3 ")
    #expect(try reasons(version: "GLIBC_9.9").first == "8 version")
    #expect(try reasons(library: "libm.so.6").first == "8 library")
    let loaded = try Rebinding<Function>("inet_nsap_addr", version: "GLIBC_9.9").diagnose()
    #expect(loaded.contains { $0.reason == .notDefined && $0.detail == "version" })
  }

  @Test func differencesOfNamesAreCounted() throws {
    #expect(FunctionVariants.names(of: "open").contains("open64"))
    for (name, other, edits) in [
      ("open", "opne", 1), ("open", "oepn", 1), ("open", "ope", 1), ("open", "openn", 1),
      ("open", "open", 0), ("open", "close", 0), ("open", "op", 0), ("getppid", "getpid", 1),
      ("getppid", "getpd", 2), ("getppid", "gtpid", 2), ("getppid", "gpid", 0), ("ab", "ac", 0),
      ("", "a", 0), ("a", "", 0),
    ] {
      #expect(FunctionVariants.edits(between: name, and: other) == edits, "\(name) \(other)")
    }
    for length in [63, 64, 66, 200, 1_000] {
      let name = String(repeating: "a", count: length)
      #expect(
        FunctionVariants.edits(between: name, and: name.dropLast() + "b") == (length == 63 ? 1 : 0))
    }
  }
}
