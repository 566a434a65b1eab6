import RebindCounting
import TestSupport

final class Leaf {}

/// Where the object is made.
private let line = #line + 3

@inline(never)
func grow() -> Leaf { Leaf() }

/// The places that calls come from.
@Suite(.measured) struct SiteTests {
  @Test func aSiteHasNamesAndLines() throws {
    _ = grow()
    func count(_ body: () -> Void) throws -> [AllocationCounts] {
      [
        try countingAllocations(of: [.memory, .objects, .sites], body: body),
        try countingAllocations(of: [.memory, .objects, .sites], reach: .thread, body: body),
        try countingAllocations(of: [.memory, .objects, .sites], reach: .process, body: body),
      ]
    }
    for counts in try count({ for _ in 0..<17 { _ = grow() } }) {
      let sites = try #require(counts.sites)
      #expect(counts.callsWithoutSite == 0)
      // Other tests have no function of that name.
      let ours = sites.filter { site in
        site.calls == 17 && site.frames.contains { $0.function?.contains("grow()") == true }
      }
      let malloc = try #require(ours.first { $0.function == "malloc" })
      #expect(malloc.bytes == 17 * 16 && !malloc.isCut)
      // The runtime calls malloc, and the program the runtime.
      #expect(malloc.frames.first?.image?.hasSuffix("/libswiftCore.so") == true)
      // The counter of swift_allocObject has a frame of its own.
      #expect(!malloc.frames.contains { $0.function?.hasPrefix("crebind_") == true })
      let frame = try #require(malloc.frames.first { $0.function?.contains("grow()") == true })
      #expect(frame.image == "" && frame.line == line, "\(malloc)")
      // The text ends where the program does, and counts the frames of the runtime that called it.
      let lines = "\(malloc)".split(separator: "\n")
      let own = malloc.frames.lastIndex { $0.image == "" && $0.function != "_start" }
      let rest = malloc.frames.count - (try #require(own) + 1)
      #expect(rest > 0 && lines.last == "  … \(rest) of the runtime", "\(malloc)")
      #expect(lines.count == 1 + malloc.frames.count - rest + 1)
      #expect(frame.file?.hasSuffix("/SiteTests.swift") == true)
      let object = try #require(ours.first { $0.function == "swift_allocObject" })
      #expect(object.bytes == 0 && object.frames.first?.image == "")
    }
  }

  /// Each call has a site, and the sites are in order.
  @Test func sitesHaveAllCalls() throws {
    let counts = try countingAllocations(of: [.standard, .sites]) {
      var words: [String: [String]] = [:]
      for i in 0..<50 { words["a word of some length \(i % 7)", default: []].append("\(i)") }
      free(realloc(malloc(10), 20))
    }
    let sites = try #require(counts.sites)
    let functions = Set(sites.map(\.function))
    #expect(functions.isSuperset(of: ["malloc", "realloc", "free", "swift_release"]))
    for function in functions {
      let calls = sites.filter { $0.function == function }.reduce(0) { $0 + $1.calls }
      #expect(calls == counts.calls(of: function))
    }
    #expect(sites.reduce(0) { $0 + $1.bytes } == counts.bytes)
    #expect(sites.map(\.calls) == sites.map(\.calls).sorted(by: >))
    #expect(Set(sites).count == sites.count)
  }

  @Test func nothingIsKeptUnasked() throws {
    let counts = try countingAllocations { _ = grow() }
    #expect(counts.sites == nil && counts.callsWithoutSite == 0)
    #expect(!counts.description.contains("grow()"))
  }

  /// The table has the sites with the most calls, and the number of the others.
  @Test func theTableHasSites() throws {
    func branch(_ depth: Int) {
      guard depth > 0 else { return _ = grow() }
      branch(depth - 1)
      branch(depth - 1)
    }
    let few = try countingAllocations(of: [.objects, .sites], reach: .thread) { branch(4) }
    #expect(few.sites?.count == 16 && few.objects == 16)
    #expect(few.description.contains("1 call of swift_allocObject\n  "))
    #expect(few.description.contains("grow() -> "))
    #expect(few.description.contains(" at SiteTests.swift:\(line) (the program)"))
    #expect(few.description.contains("6 more sites with 6 calls"))

    // The table is too small for all of them.
    let many = try countingAllocations(of: [.objects, .sites], reach: .thread) { branch(14) }
    let dropped = many.callsWithoutSite
    #expect(dropped >= 8192 && many.objects == 1 << 14)
    #expect(many.sites.map { $0.reduce(dropped) { $0 + $1.calls } } == 1 << 14)
    #expect(
      many.description.contains("\(dropped) calls of further sites, whose backtraces were not kept")
    )
  }

  /// Without names a frame has its address in the file, which another tool can read.
  @Test func aProgramWithoutSymbols() throws {
    let program = try RebindProgram(
      """
      import RebindCounting
      final class Leaf {}
      let counts = try countingAllocations(of: [.objects, .sites]) { Leaf() }
      let frame = counts.sites!.first!.frames.first!
      print(frame.image! == "", frame.function ?? "-", frame.line ?? 0)
      print(frame)
      """, modules: countingModules, flags: ["-Xlinker", "--build-id", "-Xlinker", "--strip-all"])
    let result = try program.run()
    #expect(result.succeeded, "\(result.errorOutput)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "true - 0" && lines.last?.hasPrefix("the program+0x") == true)
  }

  /// One library takes another one's place in memory while calls are counted: each has its name, or none.
  @Test func aLibraryAtThePlaceOfAnother() throws {
    let program = try RebindProgram(
      """
      import Glibc
      import RebindCounting
      typealias Function = @convention(c) () -> Void
      let folder = CommandLine.arguments[1]
      func open(_ name: String) -> (library: UnsafeMutableRawPointer, function: Function) {
        let library = dlopen(folder + "/" + name + ".so", RTLD_NOW)!
        return (library, unsafeBitCast(dlsym(library, name)!, to: Function.self))
      }
      let first = open("first")
      var isAtItsPlace = false
      let counts = try countingAllocations(of: [.memory, .callingImages, .sites], reach: .thread) {
        first.function()
        dlclose(first.library)
        let second = open("second")
        isAtItsPlace =
          unsafeBitCast(first.function, to: Int.self) == unsafeBitCast(second.function, to: Int.self)
        for _ in 0..<3 { second.function() }
      }
      print(isAtItsPlace)
      for image in counts.images! where image.calls(of: "valloc") ?? 0 > 0 {
        print(image.path, image.calls(of: "valloc")!)
      }
      for site in counts.sites! where site.function == "valloc" {
        print(site.calls, site.frames[0].image ?? "-", site.frames[0].function ?? "-")
        print(site.frames.contains { $0.function == "main" })
      }
      """, modules: countingModules)
    let folder = URL(filePath: program.path).deletingLastPathComponent()
    for name in ["first", "second"] {
      let source = folder.appending(path: "\(name).c").path
      let text = """
        #include <stdlib.h>
        void \(name)(void) { void *volatile block = valloc(1); free(block); }

        """
      try Data(text.utf8).write(to: URL(filePath: source))
      let compiled = try run(
        "gcc", ["-O1", "-shared", "-fPIC", source, "-o", folder.appending(path: "\(name).so").path])
      try #require(compiled.succeeded, "\(compiled.errorOutput)")
    }
    let result = try run(program.path, [folder.path])
    // The program is known all the time.
    #expect(result.output == "true\n[elsewhere] 4\n3 - -\ntrue\n1 - -\ntrue\n", "\(result)")
  }

  /// The file of another library took the place of the loaded one: its names would be wrong.
  @Test func aLibraryWhoseFileWasReplaced() throws {
    let source = """
      #include <stdlib.h>
      static void *volatile block;
      static __attribute__((noinline)) void inside(void) {
        block = malloc(10);
        free(block);
      }
      void allocate(void) { inside(); block = NULL; }
      """
    let program = try RebindProgram(
      """
      import Glibc
      import RebindCounting
      let arguments = CommandLine.arguments
      if arguments.count > 2 { rename(arguments[2], arguments[1]) }
      let counts = try countingAllocations(of: [.memory, .sites], reach: .thread) { allocate() }
      for frame in counts.sites!.first!.frames where frame.image!.hasSuffix("/libprices.so") {
        print(frame.function ?? "-")
      }
      """, header: "void allocate(void);", library: source, modules: countingModules)
    let result = try run(program.path)
    #expect(result.output == "inside\nallocate\n", "\(result)")

    let library = URL(filePath: program.path).deletingLastPathComponent()
      .appending(path: "libprices.so").path
    let text = source.replacing("inside", with: "wrong1").replacing("allocate", with: "mistaken")
    try Data(text.utf8).write(to: URL(filePath: "\(library).c"))
    let compiled = try run(
      "gcc", ["-O1", "-shared", "-fPIC", "\(library).c", "-o", "\(library).other"])
    try #require(compiled.succeeded, "\(compiled.errorOutput)")
    // The names that the library exports are in memory still.
    let replaced = try run(program.path, [library, "\(library).other"])
    #expect(replaced.output == "-\nallocate\n", "\(replaced)")
  }
}
