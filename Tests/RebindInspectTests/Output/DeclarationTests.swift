import TestSupport

#if Commands

@testable import rebind_inspect

/// The output has the fields that are declared: the writers of symbols, slots and relocations do not
/// use the declarations. That the values are of their shapes is for `SchemaTests`.
@Suite(.needsCommands, .measured) struct DeclarationTests {
  /// Commands that show each field at least once, in front of files.
  static let ofFiles =
    Subcommands.ofFiles + Subcommands.ofSearches + Subcommands.readable + [
      ["annotations", "--expect", "1"], ["hardening", "--require", "relro=full"],
    ]

  /// Each field of each record is shown by one of the commands.
  @Test(.notInCheck) func keys() throws {
    let shown = Shown()
    let lacking = try Self.programThatLacksALibrary()
    let inputs = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    let annotated = try AnnotatedFile(LinkMode(.bfd, .program))
    for command in Self.ofFiles {
      var files = inputs + ["/nowhere"]
      if command.contains("--resolve") || command[0] == "tree" {
        files += [Places.program, lacking.path("program")]
      }
      if command[0] == "why" { files.append(lacking.path("noting.so")) }
      if command == ["annotations"] { files.append(try withFault(annotated)) }
      try check(command, files, isProcess: false, shown)
    }
    let program = try LookedAtProgram()
    let process = try program.started("rebound", preloading: program.hook())
    let carrier = try WaitingProcess(annotated.url)
    for command in Subcommands.ofProcesses + [["audit", "--demangle"], ["slots", "--demangle"]] {
      let id = command == ["annotations"] ? carrier.id : process.id
      try check(command, ["--pid", "\(id)"], isProcess: true, shown)
    }
    try check(["diff", "--demangle"], [inputs[0], inputs[4]], isProcess: false, shown)
    try check(["diff", "--facts"], [inputs[0]], isProcess: false, shown)
    try check(["diff", program.url.path], ["--pid", "\(process.id)"], isProcess: true, shown)
    #expect(Self.declared.subtracting(shown.fields).sorted() == [])
  }

  /// The file with a record that is none.
  private func withFault(_ file: AnnotatedFile) throws -> String {
    var bytes = try file.bytes()
    let magic = try #require(bytes.range(of: Data("RBA1".utf8)))
    bytes[magic.lowerBound + 3] += 1
    return try file.write(bytes, as: "fault")
  }

  /// Beside a file that has the library's name, and a library whose note names another one.
  private static func programThatLacksALibrary() throws -> DependencyFixture {
    let fixture = DependencyFixture()
    try fixture.library("liba.so")
    let origin = "-Wl,-rpath,\(fixture.path("."))"
    let note = RequiresTests.note(#"[{"soname":["libz.so.1"]}]"#)
    try fixture.program("program", note, needs: ["liba.so"], flags: [origin])
    try fixture.write("liba.so", Data("broken".utf8))
    try fixture.library("libnoted.so", "int provided_function(void) { return 1; }")
    let other = RequiresTests.note(#"[{"soname":["libnoted.so"]}]"#)
    try fixture.library("noting.so", other, flags: [origin])
    return fixture
  }

  /// The fields that objects have had.
  private final class Shown {
    var fields: Set<String> = []
  }

  /// All fields, with their records in front.
  private static let declared: Set<String> = {
    let records =
      ReportSubject.failure.record.reachable
      + RebindInspect.subcommands.flatMap { $0.records.flatMap(\.reachable) }
    return Set(
      records.flatMap { record in
        record.fields.compactMap { $0.key }.map { "\(record.name).\($0)" }
      })
  }()

  /// Members of hand-written lists stand in the order of the declarations.
  @Test(arguments: [
    ("symbols", SymbolListing.symbol), ("slots", SlotListing.record),
    ("relocations", RelocationReport.entry),
  ])
  func orderOfKeys(subcommand: String, record: Record) throws {
    let file = GoldenTests.folder.appending(path: "x86-64.so").path
    let output = try inspect([subcommand, "--format", "json", file]).output
    let keys = record.required
    let lines = output.split(separator: "\n").filter { $0.hasPrefix("{\"\(keys[0])\":") }
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(line.matches(of: /[{,]"([A-Za-z]+)":/).map { String($0.1) } == keys)
    }
  }

  /// On a terminal the titles are those of the columns; off it a line has a cell for each.
  @Test(arguments: ofFiles)
  func columnsOfFiles(command: [String]) throws {
    let file = GoldenTests.folder.appending(path: "x86-64.so").path
    try checkColumns(command, command + [file], isProcess: false)
  }

  /// The program has no annotations.
  @Test(
    .notInCheck, arguments: Subcommands.ofProcesses.filter { $0 != ["annotations"] } + withDefines)
  func columnsOfProcesses(command: [String]) throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound", preloading: program.hook())
    try checkColumns(command, command + ["--pid", "\(process.id)"], isProcess: true)
  }

  private static let withDefines = [["who-imports", "--defines", "malloc"]]

  private func checkColumns(
    _ command: [String], _ arguments: [String], isProcess: Bool
  ) throws {
    // `--defines` shows symbols, with their path.
    let declared =
      command.contains("--defines")
      ? DefinitionReport.columns : try subcommand(command).columns
    let columns = declared.filter { isThere($0, command, isProcess: isProcess) }
      .compactMap(\.column)
    if columns.isEmpty { return }
    let titles = columns.map(\.title.description)
    let shown = try inspectOnTerminal(arguments, environment: ["NO_COLOR": "1"]).output
    let rows = shown.split(separator: "\r\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.contains(titles), "\(titles)")
    // A line with a path alone is a heading.
    let lines = try inspect(arguments).output.split(separator: "\n")
      .filter { !($0.hasSuffix(":") && !$0.contains(" ")) }
    #expect(!lines.isEmpty)
    for line in lines {
      let count = line.split(separator: " ", omittingEmptySubsequences: false).count
      let isRight =
        columns.contains(where: \.isLine) ? count >= titles.count : count == titles.count
      #expect(isRight, "\(titles): \(line)")
    }
  }

  private func subcommand(_ command: [String]) throws -> any Subcommand.Type {
    try #require(RebindInspect.subcommands.first { $0.name == command[0] })
  }

  /// Compares the keys of each object with those that are declared.
  private func check(
    _ command: [String], _ inputs: [String], isProcess: Bool, _ shown: Shown
  ) throws {
    let result = try inspect([command[0], "--format", "json"] + command.dropFirst() + inputs)
    let document = try JSONSerialization.jsonObject(with: result.standardOutput)
    let files = try #require((document as? [String: Any])?["files"] as? [[String: Any]])
    let record =
      command.contains("--defines")
      ? SymbolListing.list
      : command.contains("--facts") ? FactReport.record : try subcommand(command).record
    let path = ReportSubject.path.record.keys
    let frame = path + ReportSubject.header.record.keys
    #expect(files.contains { $0["error"] == nil }, "\(command)")
    for file in files {
      if file["error"] == nil {
        check(file, record, beside: frame, command, isProcess: isProcess, shown)
      } else {
        let failure = ReportSubject.failure.record
        check(file, failure, beside: path, command, isProcess: isProcess, shown)
      }
    }
  }

  private func check(
    _ object: [String: Any], _ record: Record, beside others: [String] = [], _ command: [String],
    isProcess: Bool, _ shown: Shown
  ) {
    let declared = record.fields.filter { isThere($0, command, isProcess: isProcess) }
      .compactMap { $0.key?.description }
    let keys = Set(object.keys).subtracting(others)
    // The bytes of a path are there for few.
    #expect(
      Set(declared) == keys.filter { !$0.hasSuffix("Bytes") }, "\(command): \(record.name)")
    shown.fields.formUnion(declared.map { "\(record.name).\($0)" })
    func check(_ value: Any, _ inner: Record, beside others: [String] = []) {
      guard let value = value as? [String: Any] else { return }
      self.check(value, inner, beside: others, command, isProcess: isProcess, shown)
    }
    for field in record.fields {
      guard let value = field.key.flatMap({ object[$0.description] }) else { continue }
      switch field.shape.orSelf {
      case .object(let inner): check(value, inner)
      case .list(let inner, _): for value in value as? [Any] ?? [] { check(value, inner) }
      case .variants(let variants):
        let kind = (value as? [String: Any])?["kind"] as? String
        for inner in variants.records where inner.name == kind {
          check(value, inner, beside: ["kind"])
        }
      default: break
      }
    }
  }

  private func isThere(_ field: Declaration, _ command: [String], isProcess: Bool) -> Bool {
    switch field.presence {
    case .always: true
    case .ofProcess: isProcess
    case .with(let option):
      command.joined(separator: " ").contains(option.filter { $0 != "`" })
    }
  }
}

#endif
