#if Commands

@testable import rebind_inspect

/// The JSON Schema of the output, by the declarations of the fields.
struct SchemaText {
  private let subcommands: [(name: String, record: Record)]

  init(_ subcommands: [any Subcommand.Type]) {
    self.init(subcommands.flatMap { command in command.records.map { (command.name, $0) } })
  }

  init(_ subcommands: [(name: String, record: Record)]) { self.subcommands = subcommands }

  var text: String {
    JSONText.object([
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      ("title", .string("rebind-inspect/1")),
      (
        "description",
        .string("A document of rebind-inspect --format json, or a line of --format jsonl.")
      ),
      ("anyOf", .list([Self.reference("document"), Self.reference("line")])),
      ("$defs", .object(frame + objects + Self.named)),
    ]).text() + "\n"
  }

  /// The document, and what all files have.
  private var frame: [(key: String, value: JSONText)] {
    let path = Self.object(ReportSubject.path.record)
    let header = Self.object(ReportSubject.header.record)
    return [
      (
        "document",
        .object([
          ("type", .string("object")), ("required", .texts(["schema", "files"])),
          (
            "properties",
            .object(
              [
                ("schema", .object([("const", .string("rebind-inspect/1"))])),
                (
                  "files",
                  .object([("type", .string("array")), ("items", Self.reference("file"))])
                ),
              ] + Self.properties(of: RequirementMaximum.listing.record))
          ),
        ])
      ),
      (
        "line",
        .object([
          ("$ref", .string("#/$defs/file")), ("required", .texts(["schema"])),
          (
            "properties",
            .object([("schema", .object([("const", .string("rebind-inspect/1"))]))])
          ),
        ])
      ),
      (
        "file",
        .object(
          path + [("oneOf", .list([Self.reference("failure"), Self.reference("image")]))])
      ),
      ("failure", .object(Self.object(ReportSubject.failure.record))),
      ("error", .object(Self.object(ReportSubject.error.record))),
      (
        "image",
        .object(
          header + [("oneOf", .list(subcommands.map { Self.reference($0.record.name) }))])
      ),
    ]
  }

  /// The objects of the subcommands, each once.
  private var objects: [(key: String, value: JSONText)] {
    var objects: [(key: String, value: JSONText)] = []
    func add(_ key: String, _ value: [(key: String, value: JSONText)]) {
      if !objects.contains(where: { $0.key == key }) { objects.append((key, .object(value))) }
    }
    for (name, record) in subcommands {
      add(
        record.name,
        [("description", .string("The output of \(name)."))] + Self.object(record)
          + exclusion(of: record) + Self.processRules(of: record))
      for inner in record.reachable.dropFirst() {
        for field in inner.fields + record.fields {
          if case .variants(let variants) = field.shape.orSelf {
            add(variants.name, Self.variants(variants))
          }
        }
        if !isVariant(inner) { add(inner.name, Self.object(inner)) }
      }
    }
    return objects
  }

  /// True for the fields of one kind of an object, which stand in the object's definition.
  private func isVariant(_ record: Record) -> Bool {
    subcommands.flatMap { $0.record.reachable }.flatMap(\.fields).contains { field in
      guard case .variants(let variants) = field.shape.orSelf else { return false }
      return variants.records.contains { $0.owner == record.owner && $0.name == record.name }
    }
  }

  /// Keeps an object that has the fields of another subcommand from being taken for this one's.
  private func exclusion(of record: Record) -> [(key: String, value: JSONText)] {
    let keys = Set(record.keys)
    let others = subcommands.map(\.record).filter { other in
      other.name != record.name && Set(record.required).isSubset(of: other.keys)
    }
    let marks = others.compactMap { other in other.required.first { !keys.contains($0) } }
    guard !marks.isEmpty else { return [] }
    let each = marks.map { JSONText.object([("required", .texts([$0]))]) }
    return [("not", each.count == 1 ? each[0] : .object([("anyOf", .list(each))]))]
  }
}

extension SchemaText {
  fileprivate static func reference(_ name: String) -> JSONText {
    .object([("$ref", .string("#/$defs/\(name)"))])
  }

  private static func object(_ record: Record) -> [(key: String, value: JSONText)] {
    [
      ("type", .string("object")), ("required", .texts(record.required)),
      (
        "properties",
        .object(properties(of: record))
      ),
    ]
  }

  private static func properties(of record: Record) -> [(key: String, value: JSONText)] {
    record.fields.flatMap { field -> [(key: String, value: JSONText)] in
      guard let key = field.key?.description else { return [] }
      guard case .path = field.shape else { return [(key, value(field.shape))] }
      return [(key, value(field.shape)), ("\(key)Bytes", reference("bytes"))]
    }
  }

  /// Which fields are there together, of an image of a process.
  private static func processRules(of record: Record) -> [(key: String, value: JSONText)] {
    let keys = record.fields.filter { $0.presence == .ofProcess }.compactMap { $0.key?.description }
    guard let first = keys.first else { return [] }
    var rules: [(key: String, value: JSONText)] = []
    if keys.count > 1 {
      let others = keys.dropFirst().map { (key: $0, value: JSONText.texts([first])) }
      rules.append(
        ("dependentRequired", .object([(first, .texts(Array(keys.dropFirst())))] + others)))
    }
    if let inner = processRequirement(in: record) {
      rules += [("if", .object([("required", .texts([first]))])), ("then", inner)]
    }
    return rules
  }

  /// Requires the fields that the objects in a record have of a process; nil if they have none.
  private static func processRequirement(in record: Record) -> JSONText? {
    let properties = record.fields.compactMap { field -> (key: String, value: JSONText)? in
      guard let key = field.key?.description, let inner = field.shape.records.first else {
        return nil
      }
      let required = inner.fields.filter { $0.presence == .ofProcess }
        .compactMap { $0.key?.description }
      let nested = processRequirement(in: inner)
      guard !required.isEmpty || nested != nil else { return nil }
      var rule: [(key: String, value: JSONText)] = []
      if !required.isEmpty { rule.append(("required", .texts(required))) }
      rule += nested?.members ?? []
      guard case .list = field.shape else { return (key, .object(rule)) }
      return (key, .object([("items", .object(rule))]))
    }
    return properties.isEmpty ? nil : .object([("properties", .object(properties))])
  }

  private static func variants(_ variants: Variants) -> [(key: String, value: JSONText)] {
    [
      ("description", .string("By its kind; more may come.")), ("type", .string("object")),
      ("required", .texts(["kind"])),
      (
        "properties",
        .object([
          (
            "kind",
            .object([("type", .string("string")), ("pattern", .string("^[a-zA-Z]+$"))])
          )
        ])
      ),
      (
        "allOf",
        .list(
          variants.records.map { record in
            let kind = JSONText.object([("const", .string(record.name))])
            return .object([
              ("if", .object([("properties", .object([("kind", kind)]))])),
              ("then", .object(Array(object(record).dropFirst()))),
            ])
          })
      ),
    ]
  }

  private static func value(_ shape: Shape) -> JSONText {
    switch shape {
    case .string(let length):
      .object(
        [("type", .string("string"))] + (length > 0 ? [("minLength", .number(Int64(length)))] : []))
    case .pattern(let pattern):
      .object([("type", .string("string")), ("pattern", .string(pattern))])
    case .words(let words): .object([("enum", .texts(words))])
    case .path: .object([("type", .string("string"))])
    case .integer(let range):
      .object(
        [("type", .string("integer"))]
          + (range.lowerBound > .min ? [("minimum", .number(range.lowerBound))] : [])
          + (range.upperBound < .max ? [("maximum", .number(range.upperBound))] : []))
    case .hexadecimal: reference("hexadecimal")
    case .boolean: .object([("type", .string("boolean"))])
    case .texts: reference("texts")
    case .base64:
      .object([("type", .string("string")), ("pattern", .string("^[A-Za-z0-9+/]*={0,2}$"))])
    case .named(let name): reference(name)
    case .object(let record): reference(record.name)
    case .variants(let variants): reference(variants.name)
    case .list(let record, let count):
      .object(
        [("type", .string("array"))] + (count > 0 ? [("minItems", .number(Int64(count)))] : [])
          + [("items", reference(record.name))])
    case .nullable(let shape): orNull(value(shape))
    }
  }

  private static func orNull(_ value: JSONText) -> JSONText {
    guard var members = value.members, let first = members.first else { return value }
    switch (first.key, first.value) {
    case ("type", let type):
      members[0].value = .list([type, .string("null")])
      return .object(members)
    case ("enum", .list(let words)): return .object([("enum", .list(words + [.null]))])
    default: return .object([("anyOf", .list([value, .object([("type", .string("null"))])]))])
    }
  }

  /// The shapes that have a name.
  private static var named: [(key: String, value: JSONText)] {
    func text(_ pattern: String, _ description: String? = nil) -> JSONText {
      .object(
        (description.map { [("description", .string($0))] } ?? [])
          + [("type", .string("string")), ("pattern", .string(pattern))])
    }
    func number(_ most: Int64) -> JSONText {
      .object([("type", .string("integer")), ("minimum", .number(0)), ("maximum", .number(most))])
    }
    let range = "(LOOS|LOPROC|UNKNOWN)\\+[0-9]+"
    return [
      (
        "code",
        text(
          "^[a-z]+(-[a-z]+)*$", "One of those that Documentation/JSON.md lists; more may come.")
      ),
      (
        "term",
        text(
          "^([A-Z]+|\(range))$",
          "A name, or for a value without one a range and the distance from its start.")
      ),
      (
        "constant",
        text(
          "^([A-Z][A-Z0-9_]*|\(range))$",
          "As term, of the names that have digits and more than one word.")
      ),
      ("texts", .object([("type", .string("array")), ("items", text0)])),
      ("bytes", text("^([0-9a-f]{2})+$", "The bytes of a path that is not UTF-8.")),
      ("hexadecimal", text("^0x(0|[1-9a-f][0-9a-f]{0,15})$")),
      ("bits", .object([("enum", .list([.number(32), .number(64)]))])),
      ("half", number(65535)), ("word", number(4_294_967_295)),
    ]
  }

  private static var text0: JSONText { .object([("type", .string("string"))]) }
}

extension Record {
  /// The members that an object may have.
  var keys: [String] {
    fields.flatMap { field -> [String] in
      guard let key = field.key?.description else { return [] }
      guard case .path = field.shape else { return [key] }
      return [key, "\(key)Bytes"]
    }
  }

  /// The members that it always has.
  var required: [String] {
    fields.filter { $0.presence == .always }.compactMap { $0.key?.description }
  }
}

extension Shape {
  /// The shape without null.
  var orSelf: Shape {
    if case .nullable(let shape) = self { shape } else { self }
  }
}

#endif
