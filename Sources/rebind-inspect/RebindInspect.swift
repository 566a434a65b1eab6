import Glibc

#if Commands

import ArgumentParser
import CRebindVersion
import ELFInspection
import RebindFiles

/// The command `rebind-inspect`: the contents of an ELF image, a subcommand a question.
@main
struct RebindInspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebind-inspect",
    abstract: "Show what an ELF image holds.",
    usage: "rebind-inspect [<subcommand>] [<options>] <file> ...",
    discussion: """
      A failed file is one line on standard error, and the other files are still \
      shown. The exit status is 2 then. Else it is 1 if a check finds something or a search nothing, \
      and 0 if not. It is 64 if the command line is wrong.

      Documentation/JSON.md describes the output of --format json. An installation \
      has it below share/doc/rebind.

      EXAMPLES:
        rebind-inspect libfoo.so
        rebind-inspect symbols --imports --format json /usr/bin/env
      """,
    version: String(String(cString: crebind_version_file()).prefix { !$0.isNewline }),
    // An array that is converted asks the runtime about each element, which is a sixth of the start-up.
    subcommands: subcommands.map { $0 as any ParsableCommand.Type },
    defaultSubcommand: SymbolsCommand.self)

  /// The subcommands, in the order of the help.
  static let subcommands: [any Subcommand.Type] = [
    SymbolsCommand.self, SlotsCommand.self, WhoImportsCommand.self, ImagesCommand.self,
    AuditCommand.self, RelocationsCommand.self, DynamicCommand.self, SegmentsCommand.self,
    SectionsCommand.self, SectionCommand.self, NotesCommand.self, AnnotationsCommand.self,
    HardeningCommand.self, TreeCommand.self, RequiresCommand.self, WhyCommand.self,
    DiffCommand.self,
  ]

  static func main() {
    raiseFileLimit()
    let arguments = RawArguments.encoded()
    do {
      try checkSubcommand(arguments)
      if try asksForVersion(arguments) { return write(configuration.version) }
      var command = try subcommand(arguments) ?? parseAsRoot(arguments)
      try command.run()
    } catch {
      guard exitCode(for: error).isSuccess else { exit(withError: error) }
      write(fullMessage(for: error))
    }
  }

  /// Writes the help, the version or a completion script, which a full disk has to be an error of too.
  private static func write(_ text: String) {
    var output = OutputBuffer(descriptor: STDOUT_FILENO)
    output.append(text: "\(text)\n")
    output.finish()
  }

  /// To the most that is allowed: the files of a process's images are open together.
  private static func raiseFileLimit() {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(files, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
  }

  /// Throws if the first argument is nearly a subcommand's name, and no file, or if a subcommand
  /// stands behind options.
  private static func checkSubcommand(_ arguments: [String]) throws {
    if let place = placeOfLateSubcommand(arguments) {
      throw ValidationError("Put the subcommand first: rebind-inspect \(arguments[place]) ...")
    }
    if arguments.count > 1, arguments[0] == "help", arguments[1] != "help",
      !arguments[1].hasPrefix("-"), !subcommands.contains(where: { $0.name == arguments[1] })
    {
      let meant = similarSubcommand(arguments[1]).map { " Did you mean '\($0)'?" } ?? ""
      throw ValidationError("'\(RawArguments.text(arguments[1]))' is no subcommand.\(meant)")
    }
    guard let name = arguments.first, name != "help", !name.contains("/"), !name.contains("\0"),
      !subcommands.contains(where: { $0.name == name }), access(name, F_OK) != 0
    else { return }
    if let similar = similarSubcommand(name) {
      throw ValidationError(
        "'\(name)' is neither a file nor a subcommand. Did you mean '\(similar)'?")
    }
  }

  private static func similarSubcommand(_ name: String) -> String? {
    subcommands.map { (name: $0.name, edits: distance(from: name, to: $0.name)) }
      .filter { $0.edits > 0 }.min { $0.edits < $1.edits }?.name
  }

  /// The place of a subcommand's name behind options, where it would be taken for a file that is not
  /// there; nil for none. The value of an option may have that name.
  private static func placeOfLateSubcommand(_ arguments: [String]) -> Int? {
    guard let first = arguments.first, first.hasPrefix("-"), first != "--" else { return nil }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    for place in arguments[..<end].indices {
      guard let subcommand = subcommands.first(where: { $0.name == arguments[place] }),
        access(arguments[place], F_OK) != 0
      else { continue }
      if let symbols = try? SymbolsCommand.parse(arguments) {
        let name = arguments[place]
        let isFile = symbols.arguments.contains { $0.paths.contains { $0.text == name } }
        return isFile ? place : nil
      }
      var others = arguments
      others.remove(at: place)
      return (try? subcommand.parse(others)) == nil ? nil : place
    }
    return nil
  }

  /// True if the arguments ask for the version. Throws if more than a subcommand stands beside `--version`,
  /// which would be passed over.
  private static func asksForVersion(_ arguments: [String]) throws -> Bool {
    let options = arguments.prefix { $0 != "--" }
    guard options.contains("--version"), !options.contains("--help") else { return false }
    if arguments.count == (subcommands.contains { $0.name == arguments[0] } ? 2 : 1) { return true }
    throw ValidationError(
      "--version stands alone: it is that of rebind-inspect. symbols --symbol-version takes one.")
  }

  private static func distance(from name: String, to other: String) -> Int {
    FunctionVariants.edits(between: name, and: other)
  }

  /// The subcommand that the arguments name, or the default one, if they are all it takes.
  ///
  /// Parsing from the root builds the arguments of the root, the default subcommand and the named one
  /// several times over, which takes longer than most files do. The root answers
  /// arguments that a subcommand does not take itself, such as `--help` and mistakes.
  private static func subcommand(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let name = arguments.first, name != "help" else { return nil }
    guard let subcommand = subcommands.first(where: { $0.name == name }) else {
      // An option in front may be the root's own, and the default subcommand would show its own help.
      let isOfRoot =
        name.hasPrefix("-") || arguments.contains { $0 == "-h" || $0.hasPrefix("--help") }
      return isOfRoot ? nil : try? SymbolsCommand.parseAsRoot(arguments)
    }
    return try? subcommand.parseAsRoot(Array(arguments.dropFirst()))
  }
}

#else

/// Says which trait the command needs: a package that depends on Rebind may have left it out.
@main
enum RebindInspect {
  static func main() {
    let message = "rebind-inspect: enable the trait Commands of rebind\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(2)
  }
}

#endif
