#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension NoteContent {
  /// The kinds of content, each with its fields.
  static let variants = Variants(
    name: "noteContent", owner: "the content",
    records: [
      buildID.record, abiTag.record, NoteProperty.set.record, NoteProbe.listing.record, text.record,
      IndexedSection.listing.record,
    ])

  private static let buildID = Listing<BuildID>(
    "buildID", of: "a build ID",
    [Field("buildID", .hexBytes, "the build ID, in hexadecimal") { .text("\($0)") }])

  private static let abiTag = Listing<(system: String, version: String)>(
    "abiTag", of: "an ABI tag",
    [
      Field("system", .text, "the system that the file runs on: `\"Linux\"`") { .text($0.system) },
      Field(
        "version", .pattern("^[0-9]+[.][0-9]+[.][0-9]+$"),
        "the oldest version of that system: `\"3.2.0\"`"
      ) { .text($0.version) },
    ])

  private static let text = Listing<String>(
    "text", of: "a text",
    [
      Field("text", .text, "the linker's version, a package's metadata, Go's build ID") {
        .text($0)
      }
    ]
  )

  /// An object with the kind, and the fields of that kind.
  var value: Value {
    switch self {
    case .buildID(let buildID): Self.value(Self.buildID, buildID)
    case .abiTag(let system, let version): Self.value(Self.abiTag, (system, version))
    case .text(let text): Self.value(Self.text, text)
    case .index(let section): Self.value(IndexedSection.listing, section)
    case .probe(let probe): Self.value(NoteProbe.listing, probe)
    case .properties(let properties): Self.value(NoteProperty.set, properties)
    }
  }

  private static func value<Row>(_ listing: Listing<Row>, _ row: Row) -> Value {
    .nested { output, separator in
      output.append(text: "{\"kind\":\"\(listing.record.name)\"")
      listing.writeMembers(row, isFirst: false, separator: separator, in: &output)
      output.append(text: "}")
    }
  }

  /// The content as a line of text.
  var text: String {
    switch self {
    case .buildID(let buildID): "\(buildID)"
    case .abiTag(let system, let version): "\(system) \(version)"
    case .text(let text): text
    case .index(let section):
      "\(section.name) \(hexadecimal(section.address)) \(section.size)"
    case .probe(let probe):
      "\(probe.provider) \(probe.name) \(hexadecimal(probe.location)) "
        + "\(hexadecimal(probe.base)) "
        + "\(probe.semaphore == 0 ? "-" : hexadecimal(probe.semaphore)) "
        + (probe.arguments.isEmpty ? "-" : probe.arguments)
    case .properties(let properties):
      properties.map { property in
        let flags = property.flags.map { $0.isEmpty ? "-" : $0.joined(separator: ",") }
        let value = flags ?? property.value.map { hexadecimal($0) }
        return value.map { "\(property.term)=\($0)" } ?? property.term
      }.joined(separator: " ")
    }
  }
}

extension IndexedSection {
  fileprivate static let listing = Listing<Self>(
    "section", of: "a section",
    [
      Field("name", .text, "the section's name, by one of Rebind's own notes") { .text($0.name) },
      Field("address", .hex, "its link-time address") { .hex($0.address) },
      Field("size", .count, "its size") { .number($0.size) },
    ])
}

extension NoteProbe {
  fileprivate static let listing = Listing<Self>(
    "probe", of: "a probe",
    [
      Field("provider", .text, "the provider of a probe of SystemTap's") { .text($0.provider) },
      Field("name", .text, "the probe's name") { .text($0.name) },
      Field("location", .hex, "its place in the code") { .hex($0.location) },
      Field("base", .hex, "the address of `.stapsdt.base` when the note was made") {
        .hex($0.base)
      },
      Field("semaphore", .hex.orNull, "the address of its counter; `null` without") {
        .hex($0.semaphore == 0 ? nil : $0.semaphore)
      },
      Field("arguments", .text, "the places of its arguments") { .text($0.arguments) },
    ])
}

extension NoteProperty {
  fileprivate static let set = Listing<[NoteProperty]>(
    "properties", of: "properties",
    [
      Field("properties", .list(listing.record), "the properties; see below") {
        .list(listing, $0)
      }
    ])

  private static let listing = Listing<Self>(
    "noteProperty", of: "a property",
    [
      Field(
        "type", .pattern("^([A-Z0-9_]+|(LOPROC|LOUSER|UNKNOWN)\\+[0-9]+)$"),
        "the constant without its `GNU_PROPERTY_`"
      ) { .text($0.term) },
      Field("typeValue", .word, "the type as a number") { .number($0.type) },
      Field(
        "value", .hex.orNull,
        "the bytes as one number, in hexadecimal; `null` if they are no number"
      ) { .hex($0.value) },
      Field("flags", .texts.orNull, "the names of the bits, if the property is a set of bits") {
        .texts($0.flags)
      },
    ])

  /// The constant without its `GNU_PROPERTY_`, or else the range that the number lies in.
  fileprivate var term: String {
    if let name { return name }
    return switch type {
    case 0xc000_0000...0xdfff_ffff: "LOPROC+\(type - 0xc000_0000)"
    case 0xe000_0000...0xffff_ffff: "LOUSER+\(type - 0xe000_0000)"
    default: "UNKNOWN+\(type)"
    }
  }
}

#endif
