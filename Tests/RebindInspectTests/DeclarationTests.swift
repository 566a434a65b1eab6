import Foundation
import TestSupport
import Testing

#if Commands

@testable import rebind_inspect

/// The output has the fields that are declared: the writers of symbols, slots and relocations do not
/// use the declarations. That the values are of their shapes is for `SchemaTests`.
@Suite(.needsCommands, .measured) struct DeclarationTests {
  /// Commands that show each field at least once, in front of files.
  static let ofFiles =
    Subcommands.ofFiles + Subcommands.ofSearches + [["annotations", "--expect", "1"]]

  @Test(arguments: ofFiles)
  func keysOfFiles(command: [String]) throws {
    var files = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    if command.contains("--resolve") || command[0] == "tree" { files.append(Places.program) }
    try check(command, files, isProcess: false)
  }

  /// The program has no annotations.
  @Test(arguments: Subcommands.ofProcesses.filter { $0 != ["annotations"] })
  func keysOfProcesses(command: [String]) throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound", preloading: program.hook())
    try check(command, ["--pid", "\(process.id)"], isProcess: true)
  }

  @Test func keysOfDifferences() throws {
    let paths = ["x86-64.so", "i386.so"].map { GoldenTests.folder.appending(path: $0).path }
    try check(["diff"], paths, isProcess: false)
    let program = try LookedAtProgram()
    let process = try program.started("nothing")
    try check(["diff", program.url.path], ["--pid", "\(process.id)"], isProcess: true)
  }

  /// Members of hand-written lists stand in the order of the declarations.
  @Test(arguments: [
    ("symbols", SymbolReport.symbol), ("slots", SlotListing.record),
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
  @Test(arguments: Subcommands.ofProcesses.filter { $0 != ["annotations"] } + withDefines)
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
      let isRight = columns.last?.isLine == true ? count >= titles.count : count == titles.count
      #expect(isRight, "\(titles): \(line)")
    }
  }

  private func subcommand(_ command: [String]) throws -> any Subcommand.Type {
    try #require(RebindInspect.subcommands.first { $0.name == command[0] })
  }

  /// Compares the keys of each object with those that are declared.
  private func check(_ command: [String], _ inputs: [String], isProcess: Bool) throws {
    let result = try inspect([command[0], "--format", "json"] + command.dropFirst() + inputs)
    let document = try JSONSerialization.jsonObject(with: result.standardOutput)
    let files = try #require((document as? [String: Any])?["files"] as? [[String: Any]])
    let record =
      command.contains("--defines") ? SymbolReport.record : try subcommand(command).record
    let frame = ReportSubject.path.record.keys + ReportSubject.header.record.keys
    var isShown = false
    for file in files where file["error"] == nil {
      isShown = true
      check(file, record, beside: frame, command, isProcess: isProcess)
    }
    #expect(isShown)
  }

  private func check(
    _ object: [String: Any], _ record: Record, beside others: [String] = [], _ command: [String],
    isProcess: Bool
  ) {
    let declared = record.fields.filter { isThere($0, command, isProcess: isProcess) }
      .compactMap { $0.key?.description }
    let keys = Set(object.keys).subtracting(others)
    // The bytes of a path are there for few.
    #expect(Set(declared) == keys.filter { !$0.hasSuffix("Bytes") }, "\(record.name)")
    for field in record.fields {
      guard let value = field.key.flatMap({ object[$0.description] }) else { continue }
      switch field.shape.orSelf {
      case .object(let inner):
        if let value = value as? [String: Any] {
          check(value, inner, command, isProcess: isProcess)
        }
      case .list(let inner, _):
        for value in value as? [[String: Any]] ?? [] {
          check(value, inner, command, isProcess: isProcess)
        }
      case .variants(let variants):
        guard let value = value as? [String: Any], let kind = value["kind"] as? String,
          let inner = variants.records.first(where: { $0.name == kind })
        else { continue }
        check(value, inner, beside: ["kind"], command, isProcess: isProcess)
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
