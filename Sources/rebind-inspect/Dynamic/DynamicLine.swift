#if Commands

import Rebind

/// A row of the table of `dynamic`: an entry of the dynamic table, or a version of symbols.
enum DynamicLine {
  case entry(DynamicRow)
  case defines(VersionRow)
  case needs(VersionRow, of: String)

  static let listing = Listing<Self>(
    "dynamicLine", of: "a row",
    [
      Field("tag", .constant, "as for an entry; `DEFINES` or `NEEDS` of a version") { line in
        switch line {
        case .entry(let row): .text(row.entry.tag.term(on: row.machine))
        case .defines: .string("DEFINES")
        case .needs: .string("NEEDS")
        }
      },
      Field("value", .hex, "as for an entry; of a version its index") { line in
        switch line {
        case .entry(let row): .hex(row.entry.value)
        case .defines(let version), .needs(let version, _): .hex(UInt64(version.index))
        }
      },
      Field("string", .text.orNull, "as for an entry; of a version its name") { line in
        switch line {
        case .entry(let row): .text(row.entry.string)
        case .defines(let version), .needs(let version, _): .text(version.name)
        }
      },
      Field(
        "flags", .texts.orNull,
        "as for an entry; of a version `BASE` and `WEAK`, as text has them"
      ) { line in
        switch line {
        case .entry(let row): .texts(row.flags)
        case .defines(let version), .needs(let version, _): .texts(version.words)
        }
      },
      Field(
        "library", .text.orNull, "the library that should have a version that is needed"
      ) { line in
        guard case .needs(_, let library) = line else { return .null }
        return .text(library)
      },
    ])
}

#endif
