import TestSupport

/// The queries of the page "Ask all binaries of a machine" give the right answers for a small folder.
///
/// Python's SQLite runs them over the CSV: DuckDB is no part of the tests' set-up.
@Suite(.needsCommands, .measured) struct QueryTests {
  @Test func queries() throws {
    let fixture = DependencyFixture()
    try Self.libraries(in: fixture)
    let folder = fixture.directory.url.path
    let page = Places.package.appending(path: "Documentation/AskAllBinaries.md")
    // The page's own commands, run on the fixture's files.
    let commands = try #require(try page.codeBlocks(of: "sh").first)
    let find = "find /usr/bin /usr/lib -type f -print0"
    #expect(commands.contains(find))
    let result = try bash(
      "cd \"$1\" && rebind-inspect() { \"$0\" \"$@\"; }\n"
        + commands.replacing(find, with: "find . -name 'lib*' -print0 | sort -z"), [folder])
    #expect(result.succeeded, "\(result.errorOutput)")
    let queries = try page.codeBlocks(of: "sql").filter { $0.hasPrefix("SELECT") }
    let list = try fixture.write("queries.json", JSONEncoder().encode(queries))
    let read = try run(Places.python, ["-c", Self.script, folder, list])
    #expect(read.succeeded, "\(read.errorOutput)")
    let answers = read.output.replacing(folder, with: "").split(separator: "\n").map(String.init)
    #expect(
      answers.dropLast(2) == [
        #"[["./liba.so", "V_1"], ["./libc.so", "V_1"]]"#,
        #"[["./libb.so", "V_1", 1], ["./libd.so", null, null]]"#,
        #"[["./liba.so", "GLIBC_ABI_DT_RELR", null], ["./libc.so", "GLIBC_2.34", "newer"], "#
          + #"["./liba.so", "GLIBC_2.4", "older"]]"#,
        #"[["GLIBC_ABI_DT_RELR", 1]]"#,
        #"[["collision", 2], ["malloc", 2]]"#,
        #"[["./libc.so", "open64"]]"#,
        #"[["./liba.so", "PyInit_a", "2_36"]]"#,
        #"[["./liba.so", "/libb.so", 1], ["./liba.so", "/system/libc.so.6", 1], "#
          + #"["./libc.so", "/libb.so", 1], ["./libc.so", "/system/libc.so.6", 1]]"#,
        #"[["./liba.so", "malloc", "/libb.so", "/libd.so"]]"#,
        #"[["malloc", 2], ["newer", 1], ["older", 1], ["open", 1], ["open64", 1]]"#,
        #"[["./liba.so"], ["./libc.so"]]"#,
      ])
    try #require(answers.count == 13)
    // Which sections files have, and how many relocations, is the linker's affair.
    let sections = try JSONSerialization.jsonObject(with: Data(answers[11].utf8)) as? [[Any]]
    let symbols = try #require(sections?.first { $0[0] as? String == ".dynsym" })
    #expect(sections?.count == 10 && symbols[1] as? Int == 5)
    let relocations = try JSONSerialization.jsonObject(with: Data(answers[12].utf8)) as? [[Any]]
    for row in try #require(relocations) {
      let file = try #require(row[0] as? String)
      let count = try Self.relocations(of: fixture.path(file))
      #expect(row[1] as? Int == count, "\(file)")
    }
    #expect(relocations?.contains { $0[0] as? String == "./libc.so" } == true)
  }

  /// The entries that readelf counts in sections of relocations with addends.
  private static func relocations(of path: String) throws -> Int {
    try run("readelf", ["-rW", path]).output
      .matches(of: /'\.rela?\..*' at offset \S+ contains ([0-9]+) entr/)
      .reduce(0) { $0 + (Int($1.1) ?? 0) }
  }

  /// `libc.so.6` is none of glibc's, but has versions of its names.
  private static func libraries(in fixture: DependencyFixture) throws {
    func map(_ text: String) throws -> [String] {
      ["-Wl,--version-script=\(try fixture.write("map", Data(text.utf8)))"]
    }
    let folder = fixture.directory.url.path
    let search = "-Wl,-rpath,\(folder):\(folder)/system"
    try fixture.library(
      "libb.so", "void *malloc(unsigned long n) { return 0; } void collision(void) {}",
      flags: map("V_1 { global: *; };"))
    // A library without versions offers its symbols in any.
    try fixture.library("libd.so", "void *malloc(unsigned long n) { return 0; }")
    try fixture.library(
      "system/libc.so.6", "void older(void) {} void newer(void) {}",
      flags: map(
        "GLIBC_2.4 { global: older; }; GLIBC_2.34 { global: newer; }; GLIBC_ABI_DT_RELR { };"))
    let needs = ["libb.so", "system/libc.so.6"]
    try fixture.library(
      "liba.so",
      """
      void *malloc(unsigned long); void older(void); int open(const char *, int, ...);
      static int call_a(void) { malloc(1); older(); return open("", 0); }
      int (*pointer)(void) = call_a; void PyInit_a(void) {}
      """, needs: needs + ["libd.so"], flags: ["-Wl,-z,pack-relative-relocs", search])
    try fixture.library(
      "libc.so",
      """
      void *malloc(unsigned long); void newer(void); int open64(const char *, int, ...);
      void collision(void) {}
      int call_c(void) { malloc(1); newer(); return open64("", 0); }
      """, needs: needs, flags: [search])
  }

  /// The comparison of DuckDB with SQLite fails if an answer differs. Without DuckDB it says so, and fails in CI
  /// alone. A module that finds nothing stands in for DuckDB.
  @Test func comparison() throws {
    let fixture = DependencyFixture()
    try fixture.library(
      "files/liba.so", "void *malloc(unsigned long); void *f(void) { return malloc(1); }")
    try fixture.write(
      "duckdb.py",
      Data(
        """
        __version__ = "0"
        Error = OSError
        class Base:
            def execute(self, query, values=()): return self
            def fetchall(self): return []
        connect = Base

        """.utf8))
    let script = Places.package.appending(path: "Tests/Witnesses/ask.py").path
    let arguments = ["-B", script, inspectPath, fixture.path("files")]
    let result = try run(
      Places.python, arguments, environment: ["PYTHONPATH": fixture.directory.url.path])
    #expect(result.status == 1, "\(result.errorOutput)")
    let lines = result.output.split(separator: "\n")
    let different = lines.filter { $0.hasSuffix(" DIFFERENT from SQLite's") }
    #expect(different.contains { $0.contains("SELECT path, version FROM symbols WHERE name") })
    for form in ["csv", "rows"] {
      #expect(lines.contains("\(form): rows behind the first 20480 are DIFFERENT"))
    }
    #expect(lines.last == "\(13 - different.count) of 13 answers are equal")
    // Without the folders of other packages.
    for (inCI, status) in [("", 0), ("true", 1)] {
      let without = try run(
        Places.python, ["-I", "-S"] + arguments, environment: ["CI": inCI])
      #expect(without.status == status)
      #expect(without.output.hasPrefix("ask.py: not run, No module named"))
    }
  }

  /// Loads the tables, with numbers and truth values as such, and prints an answer a line.
  private static let script = """
    import csv, json, sqlite3, sys
    folder, queries = sys.argv[1], json.load(open(sys.argv[2]))
    base = sqlite3.connect(":memory:")
    def value(text):
        if text == "": return None
        if text in ("true", "false"): return int(text == "true")
        return int(text) if text.isdigit() else text
    for table in ("symbols", "requirements", "dynamic", "sections", "bindings"):
        with open(f"{folder}/{table}.csv", newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            names = next(rows)
            base.execute("CREATE TABLE %s (%s)" % (table, ",".join('"%s"' % name for name in names)))
            marks = ",".join("?" * len(names))
            base.executemany("INSERT INTO %s VALUES (%s)" % (table, marks),
                             ([value(cell) for cell in row] for row in rows))
    for query in queries:
        print(json.dumps(base.execute(query).fetchall()))
    """
}
