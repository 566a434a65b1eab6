import TestSupport

/// A subcommand as the program describes it to tools: `--experimental-dump-help`.
struct SubcommandHelp: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable { var kind, name: String }
    var kind: String
    var valueName: String?
    var names: [Name]?
    var abstract: String?
    var shouldDisplay: Bool?
    var allValues: [String]?
    var defaultValue: String?
  }

  var commandName: String
  var abstract, discussion: String?
  var arguments: [Argument]?
  var subcommands: [SubcommandHelp]?

  /// All but `help`.
  static func all() throws -> [SubcommandHelp] {
    struct Help: Decodable { var command: SubcommandHelp }
    let dump = try inspect(["--experimental-dump-help"]).standardOutput
    let subcommands = try JSONDecoder().decode(Help.self, from: dump).command.subcommands
    return (subcommands ?? []).filter { $0.commandName != "help" }
  }
}
