import TestSupport

/// Programs in other languages call a library in C, which counts its calls. `rebind-run count` counts the same.
@Suite(.needsCommands, .measured) struct LanguageTests {
  private static let folder = Result {
    let builder = try FixtureBuilder(.gcc)
    try builder.buildLibrary("libcounted.so", from: "counted-calls.c", flags: ["-DLIBRARY"])
    return builder.directory
  }

  /// A language, and how a program in it is compiled: `%` stands for options of the linker.
  enum Language: String, CaseIterable {
    case cPlusPlus = "c++", swift, rust, go

    var tool: String {
      switch self {
      case .cPlusPlus: "g++"
      case .swift: "swiftc"
      case .rust: "rustc"
      case .go: "go"
      }
    }

    var files: [String: String] {
      switch self {
      case .cPlusPlus:
        [
          "main.cpp": """
          #include <thread>
          extern "C" { void first(int); void second(double); void say(); }
          int main() {
            try { first(1); throw 1; } catch (int) { second(2); }
            std::thread([] { for (int i = 0; i < 50; i++) first(1); }).join();
            say();
          }
          """
        ]
      case .swift:
        [
          "counted.h": "void first(int); void second(double); void say(void);",
          "main.swift": """
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { for _ in 0..<10 { first(1) } } }
          }
          first(1)
          second(2)
          say()
          """,
        ]
      case .rust:
        [
          "main.rs": """
          extern "C" { fn first(n: i32); fn second(n: f64); fn say(); }
          fn main() {
            std::thread::spawn(|| { for _ in 0..50 { unsafe { first(1) } } }).join().unwrap();
            let _ = std::panic::catch_unwind(|| { unsafe { first(1) }; std::panic::resume_unwind(Box::new(1)) });
            unsafe { second(2.0); say() }
          }
          """
        ]
      case .go:
        [
          "main.go": """
          package main
          // #cgo LDFLAGS: -L. -lcounted
          // void first(int); void second(double); void say(void);
          import "C"
          func main() {
            done := make(chan bool)
            for i := 0; i < 5; i++ {
              go func() { for i := 0; i < 10; i++ { C.first(1) }; done <- true }()
            }
            for i := 0; i < 5; i++ { <-done }
            C.first(1)
            C.second(2)
            C.say()
          }
          """,
          "go.mod": "module counted",
        ]
      }
    }

    func words(_ linking: [String]) -> [String] {
      let linking = ["-Wl,-rpath,$ORIGIN/..", "-L.."] + linking
      func all(_ name: String) -> [String] { linking.flatMap { [name, $0] } }
      switch self {
      case .cPlusPlus: return ["main.cpp", "-o", "program"] + linking + ["-lcounted", "-pthread"]
      case .swift:
        return [
          "main.swift", "-import-objc-header", "counted.h", "-o", "program", "-L..", "-lcounted",
        ]
          + all("-Xclang-linker")
      case .rust:
        return ["main.rs", "-o", "program", "-L..", "-lcounted"]
          + all("-Clink-arg").flatMap { [$0] }
      case .go:
        return [
          "build", "-o", "program", "-ldflags", "-extldflags '\(linking.joined(separator: " "))'",
        ]
      }
    }
  }

  @Test(arguments: Language.allCases, [["-Wl,-z,lazy"], ["-Wl,-z,now"]])
  func countsWhatTheLibraryCounts(language: Language, linking: [String]) throws {
    if !isInstalled(language.tool) { try Test.cancel("\(language.tool) is not installed") }
    let root = try Self.folder.get().url
    let folder = root.appending(path: "\(language.rawValue)-\(linking[0].suffix(4))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in language.files {
      try Data("\(text)\n".utf8).write(to: folder.appending(path: name))
    }
    let made = try run(
      language.tool, language.words(linking),
      environment: [
        "CGO_LDFLAGS": "-L\(root.path)", "GOCACHE": root.appending(path: "cache").path,
        "GOFLAGS": "-mod=mod",
      ], currentDirectory: folder)
    try #require(made.succeeded, "\(made.errorOutput)")
    let program = folder.appending(path: "program").path
    let result = try count(["first,second", "--format", "json"], [program])
    #expect(result.output == "first 51 second 1\n")
    let calls = try CountedCalls(result)
    #expect(calls.calls(of: "first") == 51)
    #expect(calls.calls(of: "second") == 1)
    #expect(calls.notes == [])
  }
}
