#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `diff` for two files, for a file and its baseline, or for a file and an image of a process.
struct DiffReport: TableBody {
  /// The first file.
  let subject: ReportSubject
  /// The second file, or the image's.
  let other: FilePath
  /// The process that has the image; nil for a file.
  var pid: Int32?
  let changes: [FileChange]
  /// True if the text says what each change means for callers.
  var showsEffects = false
  var demangling = Demangling.none

  static let listing = Listing<Self>(
    "comparison", of: "the file",
    [
      Field("otherPath", .path, "the second file, or the image's path") { .path($0.other) },
      .pid { $0.pid },
      Field("isEqual", .bool, "true if nothing differs") { .bool($0.changes.isEmpty) },
      Field("changes", .list(ChangeRow.listing.record), "the differences, by kind and name") {
        .list(ChangeRow.listing, $0.rows)
      },
    ])

  static var rowListing: Listing<ChangeRow> { ChangeRow.listing }

  var rows: [ChangeRow] { changes.map { ChangeRow(change: $0, demangling: demangling) } }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    let listing = (showsEffects ? ChangeRow.listingOfEffects : ChangeRow.listing).shown(demangling)
    var table = listing.table()
    for change in changes {
      if change.before != nil {
        let row = ChangeRow(change: change, side: .before, demangling: demangling)
        table.append(listing.cells(row), color: TextStyle.removed)
      }
      if change.after != nil {
        let row = ChangeRow(change: change, side: .after, demangling: demangling)
        table.append(listing.cells(row), color: TextStyle.added)
      }
    }
    if !changes.isEmpty { table.write(style, in: &output) }
  }
}

/// A change; in text, a side of it.
struct ChangeRow {
  enum Side: String {
    case before = "-"
    case after = "+"
  }

  let change: FileChange
  /// Nil for both.
  var side: Side?
  var demangling = Demangling.none

  static let listing = listing(isWithEffects: false)
  static let listingOfEffects = listing(isWithEffects: true)

  private static func listing(isWithEffects: Bool) -> Listing<Self> {
    let effect = Field<Self>(
      "effect", isWithEffects ? "EFFECT" : nil,
      .words(FileChange.Effect.allCases.map(\.rawValue)),
      "its effect on callers: `\"breaking\"`, `\"compatible\"` or `\"neutral\"`"
    ) { .text($0.change.effect.rawValue) }
    return Listing("change", of: "a change", [side, effect] + fields)
  }

  private static let side = Field<Self>(column: " ", "`-` for the first file, `+` for the second") {
    $0.side?.rawValue ?? ""
  }

  private static let fields: [Field<Self>] = [
    Field("kind", "KIND", .code, "one of the kinds below; more may come") {
      .text($0.change.kind.rawValue)
    },
    Field(
      "name", Column("NAME", isMangled: true), .text,
      """
      the symbol with its version, the library, or the property; of a slot with its address in \
      front, `"0x3fd8:open@GLIBC_2.2.5"`. A symbol's name that is not UTF-8 has `%E9` for each byte that is \
      not ASCII
      """
    ) { .text($0.change.name) },
    Field(
      "demangledName", Column("READABLE", isLine: true, place: 9), .text.orNull,
      "the same with a readable name; `null` if it is not mangled", when: .demangled,
      text: { $0.demangledName ?? ($0.demangling == .only ? $0.change.name : "") }
    ) { $0.demangling == .none ? nil : .text($0.demangledName) },
    Field(
      "before",
      Column(
        "VALUE", isLine: true,
        "the file's value. In a process, `-` shows the target that the loader would have stored"
      ),
      .text.orNull,
      """
      the first file's value, a machine and a type by name, `""` if the name says it all; `null` \
      if the file has none. For a word of a process, it is the target \
      that the loader would have stored
      """,
      text: { ($0.side == .after ? $0.word($0.change.after) : $0.word($0.change.before)) ?? "" }
    ) { .text($0.word($0.change.before)) },
    Field("after", .text.orNull, "the same of the second file") {
      .text($0.word($0.change.after))
    },
  ]

  /// A symbol's name with what is in front of it and its version, of which the name is readable.
  private var demangledName: String? {
    guard let change = try? /(0x[0-9a-f]+:)?([^@]+)(.*)/.wholeMatch(in: change.name),
      let name = Demangler.demangled(String(change.2))
    else { return nil }
    return "\(change.1 ?? "")\(name)\(change.3)"
  }

  /// A file's value, with the names of the headers' numbers.
  private func word(_ value: String?) -> String? { change.kind.word(value, of: change.name) }
}

extension FileChange.Kind {
  /// A value, with the names of the headers' numbers.
  func word(_ value: String?, of name: String) -> String? {
    guard self == .header, let number = value.flatMap({ UInt16($0) }) else { return value }
    return switch name {
    case "machine": Machine(rawValue: number).word
    case "type": ImageType(rawValue: number).word
    default: value
    }
  }
}

#endif
