import Foundation
import TestSupport
import Testing

/// The queries of the page "Ask all binaries of a machine" give the right answers for a small folder.
///
/// Python's SQLite runs them over the CSV: DuckDB is no part of the tests' set-up.
@Suite(.needsCommands, .measured) struct QueryTests {
  @Test func queries() throws {
    let fixture = DependencyFixture()
    try Self.libraries(in: fixture)
    for (subcommand, table) in [("symbols", "symbols"), ("requires", "requirements")] {
      let result = try bash(
        #"cd "$1" && find . -name 'lib*' -print0 | sort -z | "$0" "$2" -0 --files-from - --format csv"#,
        [fixture.path("."), subcommand])
      #expect(result.succeeded, "\(result.errorOutput)")
      try fixture.write("\(table).csv", result.standardOutput)
    }
    let page = Places.package.appending(path: "Documentation/AskAllBinaries.md")
    let queries = try page.codeBlocks(of: "sql").filter { $0.hasPrefix("SELECT") }
    let list = try fixture.write("queries.json", JSONEncoder().encode(queries))
    let read = try run(Places.python, ["-c", Self.script, fixture.path("."), list])
    #expect(read.succeeded, "\(read.errorOutput)")
    let answers = read.output.split(separator: "\n").map(String.init)
    #expect(
      answers == [
        #"[["./liba.so", "V_1"], ["./libc.so", "V_1"]]"#,
        #"[["./libb.so", "V_1", 1]]"#,
        #"[["./libc.so", "GLIBC_2.34", "newer"], ["./liba.so", "GLIBC_2.4", "older"]]"#,
        #"[["GLIBC_ABI_DT_RELR", 1]]"#,
        #"[["collision", 2]]"#,
        #"[["./libc.so", "open64"]]"#,
      ])
  }

  /// `libc.so.6` is none of glibc's, but has versions of its names.
  private static func libraries(in fixture: DependencyFixture) throws {
    func map(_ text: String) throws -> [String] {
      ["-Wl,--version-script=\(try fixture.write("map", Data(text.utf8)))"]
    }
    try fixture.library(
      "libb.so", "void provided(void) {} void collision(void) {}",
      flags: map("V_1 { global: *; };"))
    try fixture.library(
      "system/libc.so.6", "void older(void) {} void newer(void) {}",
      flags: map(
        "GLIBC_2.4 { global: older; }; GLIBC_2.34 { global: newer; }; GLIBC_ABI_DT_RELR { };"))
    let needs = ["libb.so", "system/libc.so.6"]
    try fixture.library(
      "liba.so",
      """
      void provided(void); void older(void); int open(const char *, int, ...);
      static int call_a(void) { provided(); older(); return open("", 0); }
      int (*pointer)(void) = call_a;
      """, needs: needs, flags: ["-Wl,-z,pack-relative-relocs"])
    try fixture.library(
      "libc.so",
      """
      void provided(void); void newer(void); int open64(const char *, int, ...);
      void collision(void) {}
      int call_c(void) { provided(); newer(); return open64("", 0); }
      """, needs: needs)
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
    for table in ("symbols", "requirements"):
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
