import TestSupport

/// `make install` serves C users: it is complete, it exports the functions that the headers
/// declare, and a program builds against it.
@Suite(.notInCheck, .measured) struct InstallTests {
  /// An installation in a folder of its own.
  struct Installation {
    let directory: TemporaryDirectory
    /// The output of make.
    let output: String
    var root: URL { directory.url }

    /// - Parameters:
    ///   - variables: The variables for make; % stands for the folder.
    ///   - inspect: The folder of rebind-inspect: none by default, even if it has been built.
    init(_ variables: [String], inspect: URL? = nil) throws {
      let directory = try TemporaryDirectory()
      let inspect = inspect?.path ?? "%/none"
      let arguments = (variables + ["INSPECT=\(inspect)", "RUN=%/none"])
        .map { $0.replacing("%", with: directory.url.path) }
      self.directory = directory
      output = try InstallTests.make(["install"] + arguments, in: Places.package).output
    }

    var library: URL { root.appending(path: "lib/librebind.so") }

    /// The copy that all look at, who leave it as it is.
    static let common = Result { try Installation(["PREFIX=%"]) }
  }

  /// Runs make with a clean set of flags: this test may itself run under make.
  @discardableResult
  static func make(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:]
  ) throws -> ProcessResult {
    let result = try run(
      "make", ["--silent"] + arguments,
      environment: ["MAKEFLAGS": "", "MFLAGS": ""].merging(environment) { $1 },
      currentDirectory: folder)
    try #require(result.succeeded, "\(result.errorOutput)")
    #expect(result.errorOutput == "")
    return result
  }

  @Test func installsLibrariesHeadersAndPackageFile() throws {
    let installation = try Installation.common.get()
    let version = try Places.version
    let major = try #require(version.split(separator: ".").first)
    #expect(
      try files(below: installation.root) == [
        "include/rebind/CRebind.h", "include/rebind/CRebindImages.h",
        "include/rebind/CRebindMachines.def", "include/rebind/CRebindReasons.def",
        "include/rebind/CRebindSections.h",
        "include/rebind/RebindAnnotations.h",
        "include/rebind/fishhook.h",
        "lib/cmake/rebind/rebindConfig.cmake", "lib/cmake/rebind/rebindConfigVersion.cmake",
        "lib/librebind.a", "lib/librebind.so", "lib/librebind.so.\(major)",
        "lib/librebind.so.\(version)",
        "lib/pkgconfig/rebind.pc",
      ])
    let dynamic = try run("readelf", ["--dynamic", "--wide", installation.library.path]).output
    #expect(dynamic.contains("Library soname: [librebind.so.\(major)]"))
  }

  /// It says how a program is built with it.
  @Test func saysWhatComesNext() throws {
    let folder = try TemporaryDirectory()
    let installation = try Installation.common.get()
    let prefix = installation.root.path
    let options = "$(PKG_CONFIG_PATH=\(prefix)/lib/pkgconfig pkg-config --cflags --libs rebind)"
    #expect(installation.output.contains("  cc program.c \(options)\n"))
    #expect(installation.output.contains("with -Wl,-rpath,\(prefix)/lib behind that.\n"))
    let source = Places.package.appending(path: "Samples/c-client/main.c").path
    let command =
      "cc -std=gnu11 \(source) \(options) -Wl,-rpath,\(prefix)/lib -o client && ./client"
    let client = try run("sh", ["-c", command], currentDirectory: folder.url)
    #expect(client.output.hasPrefix("Hello, "), "\(client.errorOutput)")
  }

  /// README's program in C takes one command beside the core in one file.
  @Test func theCoreIsOneFile() throws {
    let folder = try TemporaryDirectory()
    let script = Places.package.appending(path: "Scripts/amalgamate").path
    #expect(try run(script, [folder.url.path]).succeeded)
    #expect(
      try files(below: folder.url) == [
        "CRebind.h", "CRebindImages.h", "CRebindSections.h", "fishhook.h", "rebind.c",
      ])
    let program = try #require(
      try Places.package.appending(path: "README.md").codeBlocks(of: "c").first)
    try program.write(
      to: folder.url.appending(path: "program.c"), atomically: true, encoding: .utf8)
    // Whoever copies the file has its licence, and may define what it defines itself.
    let core = try String(
      contentsOf: folder.url.appending(path: "rebind.c"), encoding: .utf8)
    #expect(core.contains("/// Permission is hereby granted, free of charge"))
    try compile(.gcc, ["-std=gnu11", "-Werror", "-D_GNU_SOURCE", "-c", "rebind.c"], in: folder.url)
    // musl's headers ask for _GNU_SOURCE each by itself.
    let hasMusl = (try? run("musl-gcc", ["--version"]).succeeded) == true
    for compiler in Compiler.all + (hasMusl ? [Compiler("musl-gcc")] : []) {
      try compile(
        compiler,
        ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "program.c", "rebind.c", "-o", "program"],
        in: folder.url)
      let result = try run(folder.url.appending(path: "program").path)
      #expect(result.succeeded && result.output != "", "\(result.errorOutput)")
    }
  }

  /// A program with one hook grows by less than 100 KB where size matters.
  @Test func theCoreIsSmall() throws {
    let folder = try TemporaryDirectory()
    let script = Places.package.appending(path: "Scripts/amalgamate").path
    #expect(try run(script, [folder.url.path]).succeeded)
    let program = try #require(
      try Places.package.appending(path: "README.md").codeBlocks(of: "c").first)
    let without = "#include <stdio.h>\nint main(void) { return puts(\"words\") < 0; }\n"
    let header = try String(contentsOf: folder.url.appending(path: "rebind.c"), encoding: .utf8)
    let options = try #require(header.firstMatch(of: /cc -std=gnu11 (-Os .*) program\.c/)).1
    func size(_ text: String, _ more: [String]) throws -> Int {
      try Data(text.utf8).write(to: folder.url.appending(path: "program.c"))
      try compile(
        .gcc,
        ["-std=gnu11"] + options.split(separator: " ").map(String.init) + ["program.c"] + more
          + ["-o", "program"], in: folder.url)
      return try Data(contentsOf: folder.url.appending(path: "program")).count
    }
    let growth = try size(program, ["rebind.c"]) - size(without, [])
    #expect(growth > 10_000 && growth < 100_000, "\(growth)")
  }

  /// The files that `make release` has made of rebind-inspect go below the same prefix. A
  /// packager's folder takes the place of `/`, and no file names it.
  @Test func installsTheCommandAndItsFilesBelowAFolder() throws {
    let built = try TemporaryDirectory()
    func isProgram(_ file: String) -> Bool { !file.hasPrefix("share") }
    let files = [
      "bin/rebind-inspect", "share/bash-completion/completions/rebind-inspect",
      "libexec/rebind/library", "share/fish/vendor_completions.d/rebind-inspect.fish",
      "share/man/man1/rebind-inspect.1", "share/zsh/site-functions/_rebind-inspect",
    ]
    let documents = ["share/doc/rebind/JSON.md", "share/doc/rebind/rebind-inspect.schema.json"]
    let program = try Data(contentsOf: URL(filePath: Places.program))
    for file in files {
      let place = built.url.appending(path: file)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      // The program is one that can be stripped.
      try (isProgram(file) ? program : Data(file.utf8)).write(to: place)
    }
    let installation = try Installation(
      ["PREFIX=/opt/rebind", "DESTDIR=%", "CFLAGS=-g -O0"], inspect: built.url)
    let prefix = installation.root.appending(path: "opt/rebind")
    #expect(
      try self.files(below: prefix).filter { !$0.hasPrefix("include") && !$0.hasPrefix("lib/") }
        == (files + documents).sorted()
    )
    for document in documents {
      let name = try #require(document.split(separator: "/").last)
      let source = Places.package.appending(path: "Documentation/\(name)").path
      #expect(
        FileManager.default.contents(atPath: prefix.appending(path: document).path)
          == FileManager.default.contents(atPath: source), "\(document)")
    }
    for file in files {
      let path = prefix.appending(path: file).path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == (isProgram(file) ? 0o755 : 0o644), "\(file)")
      if !isProgram(file) {
        #expect(FileManager.default.contents(atPath: path) == Data(file.utf8))
      }
    }
    let command = prefix.appending(path: "bin/rebind-inspect").path
    #expect(try isStripped(command) && run(command).succeeded)
    #expect(try !isStripped(Places.program))
    // The archive keeps the symbols that it is linked by.
    #expect(try isStripped(prefix.appending(path: "lib/librebind.so").path))
    let archive = try run(
      "readelf", ["--sections", "--wide", prefix.appending(path: "lib/librebind.a").path])
    #expect(archive.succeeded && !archive.output.contains(".debug_info"))

    let package = prefix.appending(path: "lib/pkgconfig/rebind.pc")
    let text = try String(contentsOf: package, encoding: .utf8)
    #expect(text.hasPrefix("prefix=/opt/rebind\n"))
    #expect(!text.contains(installation.root.path))
  }

  private func isStripped(_ path: String) throws -> Bool {
    let sections = try run("readelf", ["--sections", "--wide", path])
    try #require(sections.succeeded, "\(sections.errorOutput)")
    return !sections.output.contains(".symtab") && !sections.output.contains(".debug_info")
  }

  @Test func exportsWhatTheHeadersDeclareWithAVersion() throws {
    let installation = try Installation.common.get()
    let listing = try run(
      "nm",
      [
        "--dynamic", "--defined-only", "--with-symbol-versions", "--format=just-symbols",
        installation.library.path,
      ])
    let names = Set(listing.output.split(separator: "\n").map(String.init))
    // The version is a symbol as well.
    let declared = try declaredFunctions(
      in: installation.root.appending(path: "include/rebind/CRebind.h"))
    #expect(declared.isSuperset(of: ["rebind_symbols", "rebind_symbols_image", "crebind_apply"]))
    let nodes = names.filter { $0.hasPrefix("REBIND_") }
    let exported = names.subtracting(nodes).map { $0.split(separator: "@") }
    #expect(Set(exported.map { String($0[0]) }) == declared)
    #expect(Set(exported.map { String($0[1]) }) == nodes)

    let baseline = try String(
      contentsOf: Places.package.appending(path: "Documentation/ABI/librebind.abi"),
      encoding: .utf8)
    let recorded = baseline.matches(of: /<elf-symbol name='(\w+)' version='([\w.]+)'/)
      .map { "\($0.1)@@\($0.2)" }
    #expect(
      Set(recorded) == names.subtracting(nodes),
      "make abi-baseline writes it anew; say in CHANGELOG.md what has changed")
  }

  /// The sample, as its Makefile builds it.
  @Test(arguments: [["STATIC=1"], []])
  func sampleRunsAgainstTheInstalledCopy(flags: [String]) throws {
    let installation = try Installation.common.get()
    let folder = try TemporaryDirectory()
    let program = folder.url.appending(path: "c-client")
    let path = installation.root.appending(path: "lib/pkgconfig").path
    // Users write the path in front of make or behind it.
    try Self.make(
      flags + ["OUTPUT=\(program.path)", "CFLAGS=-Werror"]
        + (flags.isEmpty ? [] : ["PKG_CONFIG_PATH=\(path)"]),
      in: Places.package.appending(path: "Samples/c-client"),
      environment: flags.isEmpty ? ["PKG_CONFIG_PATH": path] : [:])
    let needed = try run("readelf", ["--dynamic", "--wide", program.path]).output
    #expect(needed.contains("[librebind.so.0]") == flags.isEmpty)
    let result = try run(program.path)
    #expect(result.errorOutput == "")
    #expect(
      result.output == """
        Hello, whoever you are
        getenv("GREETED")
        Hello, Rebind
        Hello, whoever you are

        """)
    #expect(result.succeeded)
  }

  /// The sample prints what a program opens, and the program does what it does alone.
  @Test(arguments: Compiler.all) func sampleOfOpenedPaths(compiler: Compiler) throws {
    let installation = try Installation.common.get()
    let folder = try TemporaryDirectory()
    let library = folder.url.appending(path: "opened-paths.so")
    try Self.make(
      ["OUTPUT=\(library.path)", "CFLAGS=-Werror", "CC=\(compiler.name)"],
      in: Places.package.appending(path: "Samples/opened-paths"),
      environment: [
        "PKG_CONFIG_PATH": installation.root.appending(path: "lib/pkgconfig").path
      ])
    let preload = ["LD_PRELOAD": library.path]
    let paths = [folder.url.appending(path: "one").path, folder.url.appending(path: "two").path]
    try Data("text\n".utf8).write(to: URL(filePath: paths[0]))
    let cat = try run("cat", paths, environment: preload)
    #expect(cat.output == "text\n" && cat.status == 1)
    let lines = cat.errorOutput.split(separator: "\n").map(String.init)
    let opened = lines.filter { $0.hasPrefix("open(") }
    #expect(opened.count == 2)
    for (path, line) in zip(paths, opened) {
      #expect(line.hasPrefix("open(\"\(path)\") from ") && line.hasSuffix("/cat"), "\(line)")
    }
    #expect(lines.contains { $0.hasSuffix("cat: \(paths[1]): No such file or directory") })
    let empty = folder.url.appending(path: "empty.c")
    try Data("int main(void) { return 7; }\n".utf8).write(to: empty)
    try compile(.gcc, ["empty.c", "-o", "empty"], in: folder.url)
    let nothing = try run(
      folder.url.appending(path: "empty").path, environment: preload)
    #expect(nothing.status == 7 && nothing.output == "")
    #expect(
      nothing.errorOutput
        == "opened-paths: no image loaded so far calls a function that opens a path\n")

    // A program that is linked with librebind.so keeps its own copy.
    let exported = try run("nm", ["--dynamic", "--defined-only", library.path])
    #expect(exported.succeeded && !exported.output.contains(" T "))

    // A constructor that dlopen calls, with the loader's lock held, may wait for a thread that opens.
    let sources = [
      "waiting.c": """
      #include <fcntl.h>
      #include <pthread.h>
      static void *work(void *path) { return open(path, O_RDONLY), path; }
      __attribute__((constructor)) static void start(void) {
        pthread_t thread;
        pthread_create(&thread, 0, work, "/dev/null");
        pthread_join(thread, 0);
      }
      """,
      "loading.c": """
      #include <dlfcn.h>
      #include <fcntl.h>
      int main(int count, char **arguments) {
        return open(arguments[count - 1], O_RDONLY) < 0 || dlopen(arguments[1], RTLD_NOW) == 0;
      }
      """,
    ]
    for (name, source) in sources {
      try Data("\(source)\n".utf8).write(to: folder.url.appending(path: name))
    }
    try compile(.gcc, ["-shared", "-fPIC", "waiting.c", "-o", "waiting.so"], in: folder.url)
    try compile(.gcc, ["loading.c", "-o", "loading"], in: folder.url)
    let loading = folder.url.appending(path: "loading").path
    let waiting = folder.url.appending(path: "waiting.so").path
    let loaded = try run(loading, [waiting], environment: preload)
    #expect(loaded.succeeded)
    #expect(
      loaded.errorOutput == """
        open("\(waiting)") from \(loading)
        open("/dev/null") from \(waiting)

        """)
  }

  /// Code that declares annotations needs the header, and no library.
  @Test func annotationsAreDeclaredWithTheHeaderAlone() throws {
    let installation = try Installation.common.get()
    let flags = try run(
      "pkg-config", ["--cflags", "rebind"],
      environment: [
        "PKG_CONFIG_PATH": installation.root.appending(path: "lib/pkgconfig").path
      ])
    let header = installation.root.appending(path: "include/rebind")
    #expect(flags.output.split(whereSeparator: \.isWhitespace) == ["-I\(header.path)"])
    let folder = try TemporaryDirectory()
    let plugin = folder.url.appending(path: "plugin.so").path
    let source = Places.fixture("annotated.c").path
    let result = try run(
      "gcc", ["-Werror", "-shared", "-fPIC", "-I", header.path, source, "-o", plugin])
    #expect(result.errorOutput == "")
    let notes = try run("readelf", ["--notes", "--wide", plugin]).output
    #expect(notes.contains("Rebind"))
    // GNU ld exports where the section is, protected, whatever the header says.
    let exported = try run(
      "nm", ["--dynamic", "--defined-only", "--format=just-symbols", plugin]
    ).output.split(separator: "\n").filter { !$0.hasPrefix("__st") }
    #expect(exported == ["annotated_part_1"])
  }

  @Test(arguments: [
    ("PREFIX=here", "PREFIX has to be an absolute path: here"),
    (
      "PREFIX=/opt/two words",
      "pkg-config has no way to name a PREFIX with blanks or signs: /opt/two words"
    ),
    ("LIBDIR=lib64", "LIBDIR and INCLUDEDIR have to be absolute paths: lib64"),
  ])
  func placeIsRefused(place: String, reason: String) throws {
    let result = try run(
      "make", ["--silent", "install", place], environment: ["MAKEFLAGS": ""],
      currentDirectory: Places.package)
    #expect(!result.succeeded)
    #expect(result.errorOutput.contains("install: \(reason)"))
  }

  /// The paths of the files below a folder, sorted.
  private func files(below folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter {
        var isDirectory: ObjCBool = false
        let path = folder.appending(path: $0).path
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
          && !isDirectory.boolValue
      }.sorted()
  }

  /// The functions that a header declares, read from the preprocessor's output.
  private func declaredFunctions(in header: URL) throws -> Set<String> {
    let text = try run("gcc", ["-E", "-P", header.path]).output
    let declarations = text.split(separator: ";").filter {
      !$0.contains("typedef") && !$0.contains("struct rebinding {")
    }
    return Set(
      declarations.compactMap {
        $0.firstMatch(of: /\b(crebind_\w+|rebind_\w+) ?\(/).map { String($0.1) }
      })
  }
}
