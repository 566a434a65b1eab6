import TestSupport

/// The files for a shell and man(1) once rebind-inspect is installed.
@Suite(.needsCommands, .measured, .inProducts) struct ShellFilesTests {
  /// The files as they lie below a prefix, made once and kept in the build folder.
  private static let made = Result {
    let folder = Places.package.appending(path: ".build/rebind-inspect-tested")
    let script = Places.package.appending(path: "Scripts/command-files").path
    let result = try run(
      script, [inspectPath, folder.path], environment: ["SOURCE_DATE_EPOCH": "0"])
    try #require(result.succeeded, "\(result.output)\(result.errorOutput)")
    return folder
  }

  private let folder: URL

  init() throws { folder = try Self.made.get() }

  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// Where the shell looks, below `share`.
    var path: String {
      switch self {
      case .bash: "bash-completion/completions/rebind-inspect"
      case .zsh: "zsh/site-functions/_rebind-inspect"
      case .fish: "fish/vendor_completions.d/rebind-inspect.fish"
      }
    }
  }

  private func file(_ shell: Shell) -> String {
    folder.appending(path: "share/\(shell.path)").path
  }

  private func need(_ tool: String) throws {
    if isLeftOut(tool) { try Test.cancel("\(tool) is not installed") }
  }

  // MARK: - Completions

  @Test(arguments: Shell.allCases)
  func completionsParse(shell: Shell) throws {
    try need(shell.rawValue)
    let result = try run(shell.rawValue, ["-n", file(shell)])
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }

  /// A typed line, and its completions.
  static let completions: [(line: [String], words: [String])] = [
    (["sl"], ["slots"]),
    (["relo"], ["relocations"]),
    (["symbols", "--dem"], ["--demangle"]),
    (["symbols", "--symbol-version", "GLIBC_*", "li"], ["libone.so", "libtwo.so"]),
    (["symbols", "--format", "j"], ["json", "jsonl"]),
    (["symbols", "--type", "F"], ["FILE", "FUNC"]),
    (["tree", "--as", ""], ["dot", "mermaid"]),
    (["tree", "--root", "d"], ["directory"]),
    (["symbols", "li"], ["libone.so", "libtwo.so"]),
    (["diff", "--only", "export", "li"], ["libone.so", "libtwo.so"]),
    (["why", "open", "--in", "li"], ["libone.so", "libtwo.so"]),
    // The subcommand may be left out.
    (["li"], ["libone.so", "libtwo.so"]),
  ]

  @Test(arguments: completions)
  func bashCompletes(typed: (line: [String], words: [String])) throws {
    #expect(try completedByBash(typed.line) == typed.words)
  }

  @Test(arguments: completions)
  func fishCompletes(typed: (line: [String], words: [String])) throws {
    try need("fish")
    #expect(try completedByFish(typed.line) == typed.words)
  }

  @Test func processesAreCompletedByTheirNumbers() throws {
    let own = String(ProcessInfo.processInfo.processIdentifier)
    let subcommands = try SubcommandHelp.all().filter { subcommand in
      subcommand.arguments?.contains { $0.names?.contains { $0.name == "pid" } == true } == true
    }.map(\.commandName)
    #expect(subcommands.count >= 4)
    for subcommand in subcommands {
      let numbers = try completedByBash([subcommand, "--pid", ""])
      #expect(numbers.contains(own) && numbers.allSatisfy { Int($0) != nil }, "\(numbers)")
    }
  }

  /// Calls the function like bash, and goes on like bash if it finds nothing.
  private func completedByBash(_ line: [String]) throws -> [String] {
    try completed(
      "bash", "--norc", "-c",
      """
      source "$1"; shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
      COMP_POINT=${#COMP_LINE}
      read -r _ _ _ _ _ _ function _ <<<"$(complete -p rebind-inspect)"
      "$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      if [ ${#COMPREPLY[@]} -eq 0 ] && complete -p rebind-inspect | grep -q -e '-o default'; then
        mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
      fi
      printf '%s\\n' "${COMPREPLY[@]}"
      """, arguments: ["bash", file(.bash), inspectPath] + line)
  }

  private func completedByFish(_ line: [String]) throws -> [String] {
    try completed(
      "fish", "--no-config", "-c",
      "source $argv[1]; complete --do-complete \"rebind-inspect $argv[2..]\"",
      arguments: [file(.fish)] + line)
  }

  /// The lines that a shell prints, in a folder with two libraries and a folder.
  private func completed(_ shell: String..., arguments: [String]) throws -> [String] {
    let directory = try TemporaryDirectory()
    for name in ["libone.so", "libtwo.so", "other"] {
      try Data().write(to: directory.url.appending(path: name))
    }
    try FileManager.default.createDirectory(
      at: directory.url.appending(path: "directory"), withIntermediateDirectories: false)
    let result = try run(
      shell[0], Array(shell.dropFirst()) + arguments,
      environment: ["HOME": directory.url.path, "XDG_CONFIG_HOME": directory.url.path],
      currentDirectory: directory.url)
    #expect(result.errorOutput == "")
    // fish has the description behind a tab, and a folder's slash.
    return result.output.split(separator: "\n").map {
      let word = $0.prefix { $0 != "\t" }
      return String(word.hasSuffix("/") ? word.dropLast() : word)
    }.sorted()
  }

  // MARK: - The manual page

  /// `lexgrog` and so `apropos` read this line.
  @Test func thePageHasANameLine() throws {
    let url = folder.appending(path: "share/man/man1/rebind-inspect.1")
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    let place = try #require(lines.firstIndex(of: ".Sh NAME"))
    #expect(lines[place + 1] == ".Nm rebind-inspect")
    #expect(lines[place + 2] == ".Nd Show what an ELF image holds.")
  }

  @Test func thePageTellsOfEachSubcommand() throws {
    try need("mandoc")
    let page = folder.appending(path: "share/man/man1/rebind-inspect.1").path
    #expect(try run("mandoc", ["-T", "lint", "-W", "error", page]).output == "")
    let text = try run("mandoc", ["-T", "ascii", "-O", "width=78", page]).output
      // A letter over itself is bold, over a line italic.
      .replacing(/.\u{8}/, with: "")
    let lines = Set(text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    #expect(text.contains("January 1, 1970"))

    let subcommands = try SubcommandHelp.all()
    #expect(subcommands.count > 10)
    for command in subcommands {
      // The text behind a short name is on its line.
      #expect(
        lines.contains { $0.split(separator: " ").first.map(String.init) == command.commandName },
        "\(command.commandName)")
      let shown = (command.arguments ?? []).filter { $0.shouldDisplay != false }
      for name in shown.flatMap({ $0.names ?? [] }) where name.kind == "long" {
        let isThere = text.contains("--\(name.name)")
        #expect(isThere, "\(command.commandName) --\(name.name)")
      }
      // Examples and tables are as they are in the help: a line is a line.
      for line in (command.discussion ?? "").split(separator: "\n") where line.hasPrefix("  ") {
        let line = line.trimmingCharacters(in: .whitespaces)
        #expect(lines.contains(line), "\(command.commandName): \(line)")
      }
    }
  }
}
