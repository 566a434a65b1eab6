#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `hardening`: what a file, or an image of a process, does against being attacked.
struct HardeningCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "hardening", _superCommandName: "rebind-inspect",
    abstract: "Show what files do against being attacked, and what that means for rebinding.",
    usage: """
      rebind-inspect hardening [<options>] <file> ...
      rebind-inspect hardening [<options>] --pid <pid>
      """,
    discussion: """
      The columns of text are property, verdict, and what follows from it. The properties are \
      relro, binding, pie, stack, canary, fortify, branches, search-path, text-relocations, \
      writable-code, symbolic and seal. An object file has fewer of them.

      Of a process, seal says which images mseal has sealed; what their files do not tell, their \
      memory does.

      EXAMPLES:
        rebind-inspect hardening /usr/bin/env
        rebind-inspect hardening *.so | grep '^relro none'
        rebind-inspect hardening --format jsonl *.so | jq '.hardening.relro'
        rebind-inspect hardening --pid 4711 | grep '^seal '
      """)

  static var record: Record { HardeningReport.record }

  @OptionGroup var options: InputOrProcessOptions

  func run() throws {
    var writer = ReportWriter(
      options.output.formatter(hasHeadings: options.pid != nil || options.files.count > 1))
    if let pid = options.pid {
      writer.readImages(of: pid) { image, scope throws(ELFFileError) -> HardeningReport? in
        HardeningReport(
          subject: ReportSubject(image.image),
          hardening: try (image.file ?? image.loaded).hardening,
          process: (pid, image.image.loadBias, scope.sealing(of: image)))
      }
    } else {
      writer.read(options.files) { file throws(ELFFileError) in
        HardeningReport(subject: ReportSubject(file), hardening: try file.hardening)
      }
    }
    try writer.finish()
  }
}

#endif
