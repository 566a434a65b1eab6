import ArgumentParser
import RebindFiles

/// The arguments of the subcommands that read files and nothing else.
struct InputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The ELF files to read.", valueName: "file"))
  var arguments: [InputPaths]

  @OptionGroup var output: OutputOptions

  var files: [FilePath] { arguments.flatMap(\.paths) }
}
