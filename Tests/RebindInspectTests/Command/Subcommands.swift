import TestSupport

#if Commands
@testable import rebind_inspect
#endif

/// How each subcommand is asked, for tests of what holds for all of them.
enum Subcommands {
  /// In front of any number of files.
  static let ofFiles = withArguments + plain

  private static let withArguments = [
    ["symbols", "--demangle"], ["symbols", "--resolve"], ["slots"],
    ["section", "names", "--as", "pointers"], ["section", ".shstrtab", "--as", "strings"],
    ["section", ".dynsym"], ["annotations"], ["hardening"], ["why", "provided_function", "--in"],
  ]

  /// With readable names, which `ofFiles` has of symbols alone.
  static let readable = [
    ["slots", "--demangle"], ["relocations", "--demangle"], ["requires", "--demangle"],
    ["who-imports", "--demangle", "provided_*"],
  ]

  #if Commands
  /// The subcommands whose usage is options and files, and that are not listed above.
  private static let plain = RebindInspect.subcommands.filter { subcommand in
    (subcommand.manual.usage.isEmpty || takesProcess(subcommand))
      && !withArguments.contains { $0[0] == subcommand.name }
  }.map { [$0.name] }

  private static func takesProcess(_ subcommand: any Subcommand.Type) -> Bool {
    subcommand is any FileOrProcessSubcommand.Type
  }

  private static let plainOfProcesses = RebindInspect.subcommands.filter(takesProcess)
    .map { [$0.name] }
  #else
  private static let plain: [[String]] = []
  private static let plainOfProcesses: [[String]] = []
  #endif

  /// In front of files and folders, of which those alone are shown that have something.
  static let ofSearches = [["who-imports", "provided_*"], ["who-imports", "--defines", "*"]]

  /// In front of two files.
  static let ofPairs = [["diff"]]

  /// In front of `--pid`.
  static let ofProcesses =
    plainOfProcesses + [["images"], ["audit"], ["who-imports", "malloc"], ["why", "open"]]

  /// By the help.
  static func names() throws -> [String] {
    try inspect(["--help"]).output.components(separatedBy: "SUBCOMMANDS:")[1].split(separator: "\n")
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.hasPrefix("  See") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
  }
}
