import TestSupport

#if Commands

@testable import rebind_inspect

/// `--format rows` and `--format csv`: the same table, by the declarations of the fields.
@Suite(.needsCommands, .measured, .notInCheck) struct RowTests {
  private static let listings =
    Subcommands.ofFiles + Subcommands.ofSearches + Subcommands.readable
    + [["annotations", "--group", "modules"], ["dynamic"], ["symbols", "--imports", "--resolve"]]

  /// Both formats have the same columns and values, the columns are those that are declared, and no
  /// value is an object or a list. A column of text has a text in each row, as readers guess its type by the
  /// first rows.
  @Test(arguments: listings)
  func bothFormatsHaveTheSameTable(command: [String]) throws {
    let inputs = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    try check(command, inputs, isProcess: false)
  }

  @Test func pairs() throws {
    let inputs = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    try check(["diff", "--demangle"], [inputs[0], inputs[4]], isProcess: false)
  }

  @Test(arguments: Subcommands.ofProcesses.filter { $0 != ["annotations"] })
  func processes(command: [String]) throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound", preloading: program.hook())
    try check(command, ["--pid", "\(process.id)"], isProcess: true)
  }

  private func check(_ command: [String], _ inputs: [String], isProcess: Bool) throws {
    func output(_ format: String) throws -> ProcessResult {
      try inspect([command[0], "--format", format] + command.dropFirst() + inputs)
    }
    let rows = try output("rows").output.split(separator: "\n")
    let table = try CSVTable(output("csv").standardOutput)
    #expect(table.lines.count == rows.count)
    #expect(Set(table.header).count == table.header.count, "\(table.header)")
    #expect(table.header.starts(with: ["path", "soname", "buildID", "machine"]))
    if command[0] != "annotations" { #expect(!rows.isEmpty) }
    var (texts, without): (Set<String>, Set<String>) = ([], [])
    for (row, line) in zip(rows, table.lines) {
      // Foundation's objects have no order.
      let keys = row.matches(of: /[{,]"([A-Za-z0-9]+)":/).map { String($0.1) }
      #expect(keys.filter { table.header.contains($0) }.starts(with: table.header.prefix(4)))
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Any])
      #expect(Set(object.keys) == Set(table.header))
      for (key, cell) in zip(table.header, line) {
        let value = try #require(object[key])
        #expect(!(value is [Any]) && !(value is [String: Any]), "\(key)")
        #expect(text(value) == cell, "\(key): \(value)")
        if value is String { texts.insert(key) }
        if value is NSNull { without.insert(key) }
      }
    }
    #expect(texts.isDisjoint(with: without), "\(texts.intersection(without))")
  }

  /// The columns that have nothing but texts have them in each row, also where all of them are empty.
  @Test(arguments: [
    ("symbols", ["soname", "buildID", "version", "demangledName"]),
    ("slots", ["soname", "buildID", "version"]), ("relocations", ["soname", "buildID", "version"]),
    ("tree", ["soname", "reason", "searchPathOf", "note"]), ("who-imports", ["version"]),
    ("dynamic", ["library", "flags"]),
  ])
  func aTextThatIsNotThereIsEmpty(subcommand: String, columns: [String]) throws {
    let fixture = DependencyFixture()
    let path = try fixture.library(
      "liba.so", "extern int none; int *f(void) { return &none; }", soname: "",
      flags: ["-Wl,--build-id=none"])
    let arguments = ["symbols": ["--demangle"], "who-imports": ["none"]][subcommand] ?? []
    let output = try inspect([subcommand, "--format", "rows"] + arguments + [path]).output
    let rows = output.split(separator: "\n")
    #expect(!rows.isEmpty && !output.contains("Bytes\""))
    for row in rows {
      for column in columns { #expect(row.contains("\"\(column)\":\"\""), "\(column): \(row)") }
    }
  }

  /// Each row has the same keys, also that of a file whose path is not UTF-8.
  @Test func eachRowHasTheSameKeys() throws {
    let fixture = try BuiltFixture()
    let odd = fixture.directory.url.path + "/odd"
    let result = try bash(
      "cp \"$1\" \"$2\"$'\\xff.so' && \"$0\" dynamic --format rows \"$1\" \"$2\"$'\\xff.so'",
      [fixture.path, odd])
    let keys = result.output.split(separator: "\n").map { row in
      row.matches(of: /[{,]"([A-Za-z0-9]+)":/).map { String($0.1) }
    }
    #expect(result.succeeded && Set(keys).count == 1 && keys.count > 2, "\(result.errorOutput)")
    #expect(result.output.contains("odd\u{FFFD}.so"))
  }

  private func text(_ value: Any) -> String {
    switch value {
    case is NSNull: ""
    case let number as NSNumber:
      isBoolean(number) ? (number.boolValue ? "true" : "false") : number.stringValue
    default: "\(value)"
    }
  }

  /// True for the numbers that stand for `true` and `false`.
  private func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

  /// The hand-written rows have what the objects of the JSON have.
  @Test(arguments: [("symbols", "symbols"), ("slots", "slots"), ("relocations", "entries")])
  func rowsAreTheObjectsOfTheJSON(subcommand: String, list: String) throws {
    let file = GoldenTests.folder.appending(path: "x86-64.so").path
    let output = try inspect([subcommand, "--format", "json", file]).output
    let start = list == "symbols" ? "{\"index\"" : "{\"address\""
    let objects = output.split(separator: "\n").filter { $0.hasPrefix(start) }.map { line in
      line.dropFirst().prefix { $0 != "}" }
    }
    let rows = try inspect([subcommand, "--format", "rows", file]).output.split(separator: "\n")
    #expect(!rows.isEmpty && rows.count == objects.count)
    for (row, object) in zip(rows, objects) {
      let texts = object.replacing(/("version"|"section"|"symbol"):null/) { "\($0.1):\"\"" }
      #expect(row.hasSuffix(",\(texts)}"))
    }
  }

  /// The header is there without a row, and a file that fails is a line on standard error alone.
  @Test func aTableOfNothing() throws {
    let result = try inspect(["segments", "--format", "csv", "/nowhere"])
    #expect(result.status == 2 && !result.errorOutput.isEmpty)
    // The quotes say to readers that guess by the first lines which ones later lines may have.
    #expect(result.output.hasPrefix(#""path","soname","buildID","machine","index","type","#))
    #expect(result.output.hasSuffix("\r\n") && result.output.count { $0 == "\r\n" } == 1)
    #expect(try inspect(["segments", "--format", "rows", "/nowhere"]).output.isEmpty)
  }

  /// Python's reader of CSV sees the odd name that JSON has, a comma and a quote in it.
  @Test func oddNamesStayInTheirCells() throws {
    let fixture = try BuiltFixture()
    var bytes = try fixture.bytes()
    let name = try #require(bytes.range(of: Data("oddly_named_symbol".utf8)))
    let odd = Data("a,\"b\",\r\n é, \u{1B} ,cd".utf8)
    #expect(odd.count == name.count)
    bytes.replaceSubrange(name, with: odd)
    let path = try fixture.write(bytes, as: "odd,\".so")
    let script = """
      import csv, json, sys
      rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))
      objects = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8", newline="\\n")]
      assert [row["name"] for row in rows] == [object["name"] for object in objects]
      assert [row["path"] for row in rows] == [object["path"] for object in objects]
      print(sum(row["name"].startswith('a,"b",\\r\\n') for row in rows))
      """
    let files = ["csv", "rows"].map { fixture.path + ".\($0)" }
    for (format, file) in zip(["csv", "rows"], files) {
      let result = try inspect(["symbols", "--format", format, path])
      try result.standardOutput.write(to: URL(filePath: file))
    }
    let read = try run(Places.python, ["-c", script] + files)
    #expect(read.output == "1\n", "\(read.errorOutput)")
  }

  /// A picture and raw bytes are no tables.
  @Test(arguments: ["rows", "csv"])
  func picturesAreNoTables(format: String) throws {
    let file = GoldenTests.folder.appending(path: "x86-64.so").path
    for command in [["tree", "--as", "dot"], ["section", ".shstrtab", "--as", "raw"]] {
      let result = try inspect(command + ["--format", format, file])
      #expect(result.status == 64 && result.errorOutput.contains("has no --format"))
    }
  }

  /// Several threads write the rows in the order of the files.
  @Test func threadsKeepTheOrder() throws {
    let inputs = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    let files = Array(repeating: inputs, count: 8).flatMap { $0 }
    for format in ["rows", "csv"] {
      let outputs = try ["1", "4"].map { threads in
        try inspect(
          ["segments", "--format", format] + files, environment: ["REBIND_INSPECT_THREADS": threads]
        )
      }
      #expect(outputs[0].output == outputs[1].output && !outputs[0].output.isEmpty)
    }
  }
}

/// A table of RFC 4180, with its header.
struct CSVTable {
  let header: [String]
  let lines: [[String]]

  init(_ data: Data) throws {
    var all: [[String]] = []
    var line: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var rest = Array(data)[...]
    while let byte = rest.popFirst() {
      if isQuoted {
        if byte != 0x22 {
          cell.append(byte)
        } else if rest.first == 0x22 {
          cell.append(0x22)
          rest.removeFirst()
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case 0x22: isQuoted = true
      case 0x2c, 0x0a:
        line.append(String(decoding: cell, as: UTF8.self))
        cell = []
        if byte == 0x0a {
          all.append(line)
          line = []
        }
      case 0x0d: try #require(rest.first == 0x0a)
      default: cell.append(byte)
      }
    }
    try #require(line.isEmpty && cell.isEmpty && !isQuoted)
    header = try #require(all.first)
    lines = Array(all.dropFirst())
  }
}

#endif
