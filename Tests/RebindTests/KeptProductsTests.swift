import Foundation
import Synchronization
import Testing

@testable import TestSupport

/// A compiler's product is taken again while all that it was made of is the same.
@Suite(.measured) struct KeptProductsTests {
  private let scratch = try! TemporaryDirectory()
  private var store: URL { scratch.url.appending(path: "store") }
  private var outside: URL { scratch.url.appending(path: "store/outside") }
  private var compiler: URL { scratch.url.appending(path: "store/outside/compiler") }
  private var log: URL { scratch.url.appending(path: "log") }

  /// Things that a product is made of, each of which is a number that the program prints.
  enum Part: String, CaseIterable {
    case flag, source, header, library, namedSource, headerBeside, namedHeader, namedLibrary,
      compiler
  }

  init() throws {
    for name in ["include", "sources"] {
      try FileManager.default.createDirectory(
        at: outside.appending(path: name), withIntermediateDirectories: true)
    }
    for part in Part.allCases { try change(part, to: 1) }
  }

  /// However many mappings stand before it. dladdr is the witness.
  @Test func theRuntimeIsFound() throws {
    let function = try #require(dlsym(nil, "swift_retain"))
    let info = try #require(LoaderInfo(UInt64(UInt(bitPattern: function))))
    let pages = (0..<2000).map { index in
      // Two rights in turn, so that the kernel joins none.
      mmap(nil, 4096, index % 2 == 0 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    }
    defer { for page in pages { munmap(page, 4096) } }
    let path = URL(filePath: info.path).resolvingSymlinksInPath().path
    #expect(KeptProducts.swiftRuntime == path)
  }

  /// Another run builds nothing, wherever its folder is.
  @Test func theSameIsMadeOnce() throws {
    let first = try build([:])
    #expect(first.wasMade && first.printed == "1 1 1 1 1 1 1 1 1")
    let second = try build([:])
    #expect(!second.wasMade && second.printed == first.printed)
  }

  @Test func aChangedPartIsSeen() throws {
    _ = try build([:])
    var parts: [Part: Int] = [:]
    for part in Part.allCases {
      parts[part] = 2
      try change(part, to: 2)
      let changed = try build(parts)
      #expect(changed.wasMade, "\(part)")
      let expected = Part.allCases.map { "\(parts[$0] ?? 1)" }.joined(separator: " ")
      #expect(changed.printed == expected)
    }
  }

  /// Its product may name the folder, too.
  @Test func aCallThatNamesItsFolderIsMadeEachTime() throws {
    for _ in 0..<2 {
      #expect(try build([:]) { ["-Wl,-rpath,\($0.path)"] }.wasMade)
    }
  }

  /// The message of a mistake is kept, but not a failure that may pass.
  @Test func failures() throws {
    for wasMade in [true, false] {
      let mistake = try compile("int mistake = ;\n", [])
      #expect(mistake.wasMade == wasMade && mistake.result.status == 1)
      #expect(mistake.result.errorOutput.contains("main.c:1:15: error: "))
    }
    for _ in 0..<2 {
      let failure = try compile("int main(void) { return 0; }\n", ["-lnowhere"])
      #expect(failure.wasMade && !failure.result.succeeded)
    }
  }

  /// Exit tests are processes, and several build the same library at once.
  @Test func processesMakeTheSameOnce() throws {
    try writeShellProgram(
      "echo made >> '\(log.path)'\nsleep 0.2\nexec gcc \"$@\"", to: compiler.path)
    let outcomes = Mutex<[Result<Bool, any Error>]>([])
    let group = DispatchGroup()
    for _ in 0..<6 {
      group.enter()
      Thread {
        let outcome = Result { try compilesAnObject() }
        outcomes.withLock { $0.append(outcome) }
        group.leave()
      }.start()
    }
    group.wait()
    let succeeded = try outcomes.withLock { try $0.filter { try $0.get() } }
    #expect(succeeded.count == 6)
    #expect(try String(contentsOf: log, encoding: .utf8) == "made\n")
  }

  /// True if a run of the tests then has the object.
  private func compilesAnObject() throws -> Bool {
    let folder = try TemporaryDirectory()
    try Data("int value;\n".utf8).write(to: folder.url.appending(path: "main.c"))
    let arguments = ["-c", "main.c", "-o", "main.o"]
    let result = try KeptProducts(in: store).run(compiler.path, arguments, in: folder.url)
    let object = folder.url.appending(path: "main.o").path
    return result.succeeded && FileManager.default.fileExists(atPath: object)
  }

  @Test func theUnusedIsDeleted() throws {
    _ = try build([:])
    func age(_ days: Double) throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: store.path) {
        let file = store.appending(path: name)
        guard file.path != outside.path else { continue }
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)], ofItemAtPath: file.path)
      }
    }
    try age(5)
    #expect(try !build([:]).wasMade)
    // It was used just now.
    _ = try KeptProducts(in: store, deletingUnusedFor: 3)
    #expect(try !build([:]).wasMade)
    try age(5)
    _ = try KeptProducts(in: store, deletingUnusedFor: 3)
    #expect(try build([:]).wasMade)
  }

  // MARK: - Building

  /// Changes a part that is not in the folder.
  private func change(_ part: Part, to value: Int) throws {
    func write(_ text: String, _ name: String) throws {
      try Data("\(text)\n".utf8).write(to: outside.appending(path: name))
    }
    switch part {
    case .namedSource:
      try write(
        """
        #include "beside.h"
        int named_source(void) { return \(value); }
        int beside(void) { return BESIDE; }
        """, "sources/named.c")
    case .headerBeside: try write("#define BESIDE \(value)", "sources/beside.h")
    case .namedHeader: try write("#define NAMED_HEADER \(value)", "include/named.h")
    case .namedLibrary:
      try write("int named_library(void) { return \(value); }", "library.c")
      let made = try run(
        "gcc", ["-shared", "-fPIC", "library.c", "-o", "libnamed.so", "-Wl,-soname,libnamed.so"],
        currentDirectory: outside)
      try #require(made.succeeded, "\(made.errorOutput)")
    case .compiler:
      try? FileManager.default.removeItem(at: compiler)
      try writeShellProgram(
        "echo made >> '\(log.path)'\nexec gcc -DCOMPILER=\(value) \"$@\"", to: compiler.path)
    default: break
    }
  }

  private static let program = """
    #include <stdio.h>
    #include "header.h"
    #include <named.h>
    int library(void);
    int named_source(void);
    int beside(void);
    int named_library(void);
    int main(void) {
      printf("%d %d %d %d %d %d %d %d %d", FLAG, SOURCE, HEADER, library(), named_source(),
             beside(), NAMED_HEADER, named_library(), COMPILER);
    }

    """

  /// Builds the program in a new folder as a run of the tests does, and runs it.
  private func build(_ parts: [Part: Int], _ more: (URL) -> [String] = { _ in [] }) throws
    -> (printed: String, wasMade: Bool)
  {
    let folder = try TemporaryDirectory()
    func write(_ text: String, _ name: String) throws {
      try Data("\(text)\n".utf8).write(to: folder.url.appending(path: name))
    }
    try write("int library(void) { return \(parts[.library] ?? 1); }", "library.c")
    let library = try run(
      "gcc", ["-shared", "-fPIC", "library.c", "-o", "libpart.so", "-Wl,-soname,libpart.so"],
      currentDirectory: folder.url)
    try #require(library.succeeded, "\(library.errorOutput)")
    // The library alone tells of its source.
    try FileManager.default.removeItem(at: folder.url.appending(path: "library.c"))
    try write("#define HEADER \(parts[.header] ?? 1)", "header.h")
    try write("#define SOURCE \(parts[.source] ?? 1)\n\(Self.program)", "main.c")
    let (result, wasMade) = try make(
      [
        "-DFLAG=\(parts[.flag] ?? 1)", "-I", "\(outside.path)/include", "main.c",
        "\(outside.path)/sources/named.c",
        "-L.", "-l:libpart.so", "-L", outside.path, "-lnamed", "-Wl,-rpath,$ORIGIN",
        "-Wl,-rpath,\(outside.path)", "-o", "program",
      ] + more(folder.url), in: folder.url)
    try #require(result.succeeded, "\(result.errorOutput)")
    return (try run(folder.url.appending(path: "program").path).output, wasMade)
  }

  private func compile(_ source: String, _ arguments: [String]) throws -> (
    result: ProcessResult, wasMade: Bool
  ) {
    let folder = try TemporaryDirectory()
    try Data(source.utf8).write(to: folder.url.appending(path: "main.c"))
    return try make(["main.c", "-o", "program"] + arguments, in: folder.url)
  }

  /// Calls the compiler in the folder.
  private func make(_ arguments: [String], in folder: URL) throws -> (
    result: ProcessResult, wasMade: Bool
  ) {
    try? FileManager.default.removeItem(at: log)
    let result = try KeptProducts(in: store).run(compiler.path, arguments, in: folder)
    return (result, FileManager.default.fileExists(atPath: log.path))
  }
}
