#if Commands

import ELFInspection
import Rebind

/// The output of `dynamic` for a file.
struct DynamicReport: TableBody {
  let subject: ReportSubject
  /// Nil if the file has no dynamic table.
  let table: DynamicTable?
  let versions: FileVersions
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  static let listing = Listing<Self>(
    "dynamicTable", of: "the file",
    [
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field("soname", .text.orNull, "from `DT_SONAME`; `null` without") { .text($0.table?.soname) },
      Field("needed", .texts, "the libraries that it needs, from `DT_NEEDED`") {
        .texts($0.table?.needed ?? [])
      },
      Field("rpath", .text.orNull, "from `DT_RPATH`; `null` without") {
        .text($0.table?[.rpath]?.string)
      },
      Field("runpath", .text.orNull, "from `DT_RUNPATH`; `null` without") {
        .text($0.table?[.runPath]?.string)
      },
      Field(
        "dynamic", .list(DynamicRow.listing.record),
        "the entries of the dynamic table, up to the one that ends it; empty without a table"
      ) { .list(DynamicRow.listing, $0.entries) },
      Field(
        "versionDefinitions", .list(VersionRow.definition.record),
        "the versions that it defines, from `DT_VERDEF`"
      ) { .list(VersionRow.definition, $0.versions.definitions.map(VersionRow.init)) },
      Field(
        "versionNeeds", .list(VersionRow.library.record),
        "the libraries whose versions it needs, from `DT_VERNEED`"
      ) { .list(VersionRow.library, $0.needs) },
    ])

  var lack: String? { table == nil ? "no dynamic table" : nil }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var lines = DynamicRow.listing.table(entries)
    for definition in versions.definitions {
      var words = [definition.name] + VersionRow(definition).words
      if !definition.parents.isEmpty { words += ["after"] + definition.parents }
      lines.append(["DEFINES", String(definition.index), words.joined(separator: " ")])
    }
    for need in versions.needs {
      for version in need.versions {
        let words = [need.file, version.name] + VersionRow(version).words
        lines.append(["NEEDS", String(version.index), words.joined(separator: " ")])
      }
    }
    lines.write(style, in: &output)
  }

  static var rowListing: Listing<DynamicLine> { DynamicLine.listing }

  /// The lines of text: the entries, and behind them the versions.
  var rows: [DynamicLine] {
    entries.map { .entry($0) } + versions.definitions.map { .defines(VersionRow($0)) }
      + versions.needs.flatMap { need in
        need.versions.map { .needs(VersionRow($0), of: need.file) }
      }
  }

  private var entries: [DynamicRow] {
    (table?.entries ?? []).map { DynamicRow(entry: $0, machine: subject.machine) }
  }

  private var needs: [NeededVersions] {
    versions.needs.map { need in
      NeededVersions(file: need.file, versions: need.versions.map(VersionRow.init))
    }
  }
}

#endif
