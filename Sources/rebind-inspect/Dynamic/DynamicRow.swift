#if Commands

import ELFInspection
import Rebind

/// An entry of the dynamic table, and the machine that its tag is of.
struct DynamicRow {
  let entry: DynamicTable.Entry
  let machine: Machine

  static let listing = Listing<Self>(
    "dynamicEntry", of: "an entry",
    [
      Field(
        "tag",
        Column(
          "TAG",
          "`d_tag`: the constant without its `DT_`; `DEFINES` or `NEEDS` in front of a version"),
        .constant, "`d_tag`: the constant without its `DT_`"
      ) { .text($0.entry.tag.term(on: $0.machine)) },
      Field("tagValue", .number, "`d_tag` as a number") { .number($0.entry.tag.rawValue) },
      Field(
        "value", Column("VALUE", "`d_val` or `d_ptr`; of a version its index"), .hex,
        "`d_val` or `d_ptr`"
      ) { .hex($0.entry.value) },
      Field(
        "string",
        Column(
          "MEANING", isLine: true,
          """
          the string, flags, size or number that the value means. Of a version the library that \
          should have it, its name, and the versions it follows
          """), .text.orNull, "the string that the value leads to; `null` for tags that have none",
        text: { $0.entry.string ?? $0.meaning ?? "" }
      ) { .text($0.entry.string) },
      Field(
        "flags", .texts.orNull,
        """
        the names of the bits, for `FLAGS` and `FLAGS_1`; else `null`. A bit without a name is a \
        number, `"0x20"`
        """
      ) { .texts($0.flags) },
    ])

  /// The meaning of a value that is no string; nil for an address, which speaks for itself.
  private var meaning: String? {
    if let flags { return flags.joined(separator: " ") }
    // DT_X86_64_PLTSZ and DT_X86_64_PLTENT.
    if machine == .amd64, [0x7000_0001, 0x7000_0003].contains(entry.tag.rawValue) {
      return "\(entry.value) bytes"
    }
    switch entry.tag {
    case .jumpSlotRelocationsKind:
      return DynamicTag(rawValue: Int64(truncatingIfNeeded: entry.value)).description
    case .jumpSlotRelocationsSize, .addendRelocationsSize, .addendRelocationSize,
      .stringTableSize, .symbolSize, .relocationsSize, .relocationSize, .initializersSize,
      .finalizersSize, .preinitializersSize, .relativeRelocationsSize, .relativeRelocationSize:
      return "\(entry.value) bytes"
    case .relativeAddendRelocationCount, .relativeRelocationCount, .definedVersionCount,
      .neededVersionCount:
      return "\(entry.value)"
    default: return nil
    }
  }

  var flags: [String]? {
    let text: String
    switch entry.tag {
    case .flags: text = DynamicFlags(rawValue: entry.value).description
    case .flags1: text = DynamicFlags1(rawValue: entry.value).description
    default: return nil
    }
    return text.split(separator: " ").map(String.init)
  }
}

#endif
