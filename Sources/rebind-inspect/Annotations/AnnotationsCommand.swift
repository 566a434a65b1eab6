#if Commands

import ArgumentParser
import ELFInspection
import Rebind
import RebindFiles

/// The subcommand `annotations`: what a registry would find.
struct AnnotationsCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "annotations",
    abstract: "List the annotations in files, or in the images of a process.",
    usage: usage,
    overview: """
      An annotation is a record that a compiler put into an image for a registry to find.

      A record that cannot be read is a line on standard error. The others are still shown, \
      and the exit status is 2. With `--expect`, another number is a line too, and the status is 1.
      """,
    examples: [
      "annotations --group modules libfoo.so",
      "annotations --expect 12 app",
      "annotations --format json --pid 4711",
    ])

  static let configuration = manualConfiguration

  static var record: Record { AnnotationReport.record }

  @Option(help: "Only the annotations of this group.")
  var group: String?

  @Option(
    help: "Fail unless each file, or the whole process, has this many annotations.")
  var expect: Int?

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func validate() throws {
    try validateInput()
    if let expect, expect < 0 { throw ValidationError("--expect takes a number from 0.") }
  }

  func run() throws {
    let group = group.map { RawArguments.text($0) }
    let files = try files()
    var writer = ReportWriter(formatter(AnnotationReport.row, of: files))
    if let pid = pid {
      read(pid, group, &writer)
    } else {
      let expected = expect
      writer.read(files) { file throws(ELFFileError) in
        AnnotationReport(
          subject: ReportSubject(file), found: try file.annotations(group: group),
          expected: expected)
      } then: { report, writer in
        Self.tellFaults(of: report, &writer)
        Self.check(
          report.found.annotations.count, expected: expected, report.subject.path, &writer)
      }
    }
    try writer.finish()
  }

  private func read(_ pid: Int32, _ group: String?, _ writer: inout ReportWriter) {
    var count = 0
    do throws(ELFFileError) {
      for image in try ProcessImages(pid: pid).images {
        FatalSignals.isReading(image.path)
        do throws(ELFFileError) {
          let found = try image.annotations(group: group)
          if found.annotations.isEmpty && found.faults.isEmpty { continue }
          let report = AnnotationReport(
            subject: ReportSubject(image), found: found, process: (pid, image.loadBias))
          writer.write(report)
          Self.tellFaults(of: report, &writer)
          count += found.annotations.count
        } catch {
          writer.write(error)
        }
      }
      Self.check(count, expected: expect, FilePath("/proc/\(pid)"), &writer)
    } catch {
      writer.write(error)
    }
  }

  private static func tellFaults(of report: AnnotationReport, _ writer: inout ReportWriter) {
    for fault in report.found.faults {
      writer.fail(report.subject.path, fault.description)
    }
  }

  private static func check(
    _ count: Int, expected: Int?, _ path: FilePath, _ writer: inout ReportWriter
  ) {
    guard let expected, count != expected else { return }
    let causes =
      count < expected
      ? "a linker leaves out archive members that nothing refers to, and with --gc-sections "
        + "records without the attribute retain, which gold -r drops; or the --group has another "
        + "name"
      : "an object file is linked in twice, or the number is of another --group"
    writer.find(path, "\(count) annotations, not \(expected): \(causes)")
  }
}

#endif
