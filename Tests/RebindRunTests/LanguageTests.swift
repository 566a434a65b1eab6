import TestSupport

/// Programs in other languages call a library in C, which counts its calls. `rebind-run count` counts the same.
@Suite(.needsCommands, .measured) struct LanguageTests {
  private static let folder = Result {
    let builder = try FixtureBuilder(.gcc)
    try builder.buildLibrary("libcounted.so", from: "counted-calls.c", flags: ["-DLIBRARY"])
    let loader = """
      #include <dlfcn.h>
      int main(int count, char **arguments) {
        void *plugin = count == 2 ? dlopen(arguments[1], RTLD_NOW) : 0;
        if (plugin == 0) return 1;
        ((void (*)(void))dlsym(plugin, "work"))();
        return 0;
      }
      """
    try Data("\(loader)\n".utf8).write(to: builder.directory.url.appending(path: "loader.c"))
    try builder.compile(["loader.c", "-o", "loader"])
    return builder.directory
  }

  /// How a program is linked. A plug-in is loaded later, with the library that it calls, by a program in C.
  enum Form: String { case lazy, now, noPLT, positionDependent, positionIndependent, plugin }

  /// A language, and how a program in it is compiled.
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

    /// The compiler, in the system or where rustup puts it; nil if it is in neither.
    var compiler: String? {
      if isInstalled(tool) { return tool }
      let own = FileManager.default.homeDirectoryForCurrentUser.appending(
        path: ".cargo/bin/\(tool)")
      return FileManager.default.isExecutableFile(atPath: own.path) ? own.path : nil
    }

    /// swiftc has no -fno-plt; rustc makes calls without a PLT in any case, and go makes position-dependent programs.
    var forms: [Form] {
      switch self {
      case .cPlusPlus: [.lazy, .now, .noPLT, .positionDependent, .plugin]
      case .swift, .rust: [.lazy, .now, .positionDependent, .plugin]
      case .go: [.lazy, .now, .positionIndependent, .plugin]
      }
    }

    func files(_ form: Form) -> [String: String] {
      let isPlugin = form == .plugin
      switch self {
      case .cPlusPlus:
        return [
          "main.cpp": """
          #include <thread>
          extern "C" { void first(int); void second(double); void say(); void work(); }
          \(isPlugin ? "void work()" : "int main()") {
            try { first(1); throw 1; } catch (int) { second(2); }
            std::thread([] { for (int i = 0; i < 50; i++) first(1); }).join();
            say();
          }
          """
        ]
      case .swift:
        let work = """
          @_cdecl("work") public func work() {
            let done = DispatchSemaphore(value: 0)
            Task.detached {
              await body()
              done.signal()
            }
            done.wait()
          }
          """
        return [
          "counted.h": "void first(int); void second(double); void say(void);",
          "main.swift": """
          import Dispatch
          @Sendable func body() async {
            await withTaskGroup(of: Void.self) { group in
              for _ in 0..<5 { group.addTask { for _ in 0..<10 { first(1) } } }
            }
            first(1)
            second(2)
            say()
          }
          \(isPlugin ? work : "await body()")
          """,
        ]
      case .rust:
        return [
          "main.rs": """
          extern "C" { fn first(n: i32); fn second(n: f64); fn say(); }
          \(isPlugin ? "#[no_mangle] pub extern \"C\" fn work()" : "fn main()") {
            std::thread::spawn(|| { for _ in 0..50 { unsafe { first(1) } } }).join().unwrap();
            let _ = std::panic::catch_unwind(|| { unsafe { first(1) }; std::panic::resume_unwind(Box::new(1)) });
            unsafe { second(2.0); say() }
          }
          """
        ]
      case .go:
        return [
          "main.go": """
          package main
          // #cgo LDFLAGS: -L. -lcounted
          // void first(int); void second(double); void say(void);
          import "C"
          \(isPlugin ? "func main() {}\n//export work\nfunc work()" : "func main()") {
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

    /// Options for the compiler, which makes a file `program`.
    func words(_ form: Form) -> [String] {
      let linking =
        ["-Wl,-rpath,$ORIGIN/..", "-L..", "-Wl,-z,\(form == .now ? "now" : "lazy")"]
        + (form == .positionDependent && self != .rust ? ["-no-pie"] : [])
      switch self {
      case .cPlusPlus:
        let own: [Form: [String]] = [
          .noPLT: ["-fno-plt"], .positionDependent: ["-fno-pie"], .plugin: ["-shared", "-fPIC"],
        ]
        return (own[form] ?? []) + ["main.cpp", "-o", "program"] + linking
          + ["-lcounted", "-pthread"]
      case .swift:
        return (form == .plugin ? ["-emit-library", "-parse-as-library"] : [])
          + [
            "main.swift", "-import-objc-header", "counted.h", "-o", "program", "-L..", "-lcounted",
          ] + linking.flatMap { ["-Xclang-linker", $0] }
      case .rust:
        let own: [Form: [String]] = [
          .positionDependent: ["-Crelocation-model=static"], .plugin: ["--crate-type=cdylib"],
        ]
        return (own[form] ?? []) + ["main.rs", "-o", "program", "-L..", "-lcounted"]
          + linking.map { "-Clink-arg=\($0)" }
      case .go:
        let own: [Form: [String]] = [
          .positionIndependent: ["-buildmode=pie"], .plugin: ["-buildmode=c-shared"],
        ]
        return ["build"] + (own[form] ?? [])
          + ["-o", "program", "-ldflags", "-extldflags '\(linking.joined(separator: " "))'"]
      }
    }
  }

  @Test(
    .notInCheck,
    arguments: Language.allCases.flatMap { language in language.forms.map { (language, $0) } })
  func countsWhatTheLibraryCounts(language: Language, form: Form) throws {
    guard let compiler = language.compiler else {
      try Test.cancel("\(language.tool) is not installed")
    }
    let root = try Self.folder.get().url
    let folder = root.appending(path: "\(language.rawValue)-\(form)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in language.files(form) {
      try Data("\(text)\n".utf8).write(to: folder.appending(path: name))
    }
    let made = try run(
      compiler, language.words(form),
      environment: [
        "CGO_LDFLAGS": "-L\(root.path)", "GOCACHE": root.appending(path: "cache").path,
        "GOFLAGS": "-mod=mod",
      ], currentDirectory: folder)
    try #require(made.succeeded, "\(made.errorOutput)")
    let program = folder.appending(path: "program").path
    let words = form == .plugin ? [root.appending(path: "loader").path, program] : [program]
    let result = try count(["first,second", "--format", "json"], words)
    #expect(result.output == "first 51 second 1\n")
    let calls = try CountedCalls(result)
    #expect(calls.calls(of: "first") == 51)
    #expect(calls.calls(of: "second") == 1)
    #expect(calls.notes == [])
    let header = try run("readelf", ["--file-header", program]).output
    #expect(header.contains("EXEC") == isPositionDependent(language, form))
  }

  /// go makes programs of this kind unless it is told otherwise.
  private func isPositionDependent(_ language: Language, _ form: Form) -> Bool {
    form == .positionDependent || language == .go && (form == .lazy || form == .now)
  }
}
