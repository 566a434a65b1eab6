#if Commands

import RebindFiles

/// A field of a row, declared once: the declaration, and the value that a row has.
struct Field<Row>: Sendable {
  let declaration: Declaration
  /// Nil where the field is left out, as `Presence` says.
  let value: @Sendable (Row) -> Value?
  /// Makes the cell in text output; nil if the value's own text is the cell.
  let text: (@Sendable (Row) -> String)?

  /// Creates a field that only JSON shows.
  init(
    _ key: StaticString, _ shape: Shape, _ meaning: String, when presence: Presence = .always,
    _ value: @escaping @Sendable (Row) -> Value?
  ) {
    self.init(key, nil, shape, meaning, when: presence, value)
  }

  /// Creates a field from a declaration that is made elsewhere.
  init(
    _ declaration: Declaration, text: (@Sendable (Row) -> String)? = nil,
    _ value: @escaping @Sendable (Row) -> Value?
  ) {
    self.declaration = declaration
    self.value = value
    self.text = text
  }

  /// Creates a field that both JSON and text show.
  init(
    _ key: StaticString, _ column: Column?, _ shape: Shape, _ meaning: String,
    when presence: Presence = .always, text: (@Sendable (Row) -> String)? = nil,
    _ value: @escaping @Sendable (Row) -> Value?
  ) {
    declaration = Declaration(key, column, shape, meaning, when: presence)
    self.value = value
    self.text = text
  }

  /// Creates a column that only text shows.
  init(
    column: Column, _ meaning: String, when presence: Presence = .always,
    _ text: @escaping @Sendable (Row) -> String
  ) {
    declaration = Declaration(nil, column, .text, meaning, when: presence)
    value = { _ in nil }
    self.text = text
  }
}

extension Field {
  /// The same field for a row that contains a row of this kind.
  func of<Outer>(_ inner: @escaping @Sendable (Outer) -> Row) -> Field<Outer> {
    let value = value
    guard let text else { return Field<Outer>(declaration) { value(inner($0)) } }
    return Field<Outer>(declaration, text: { text(inner($0)) }) { value(inner($0)) }
  }
}

/// The fields of one kind of row, which are an object of JSON, and a line of text.
struct Listing<Row>: Sendable {
  let record: Record
  // Apart from the declarations, which would be retained for each value.
  private let members: [Member]
  private var columns: [TextColumn]

  private struct Member: Sendable {
    let key: StaticString
    let value: @Sendable (Row) -> Value?
    /// The value in a table.
    let rowValue: @Sendable (Row) -> Value?
    let presence: Presence
    /// The columns of a table that it is; empty for lists of objects.
    let columns: [RowColumn]
  }

  private struct TextColumn: Sendable {
    let presence: Presence
    let isMangled: Bool
    let layout: TextTable.Layout
    let text: @Sendable (Row) -> String
  }

  /// - Parameters:
  ///   - name: The name of the object's definition in the schema.
  ///   - owner: The owner of the fields, behind "field of".
  init(_ name: String, of owner: String, _ fields: [Field<Row>]) {
    record = Record(name, of: owner, fields.map(\.declaration))
    members = fields.compactMap { field in
      field.declaration.key.map {
        Member(
          key: $0, value: field.value, rowValue: Self.rowValue(of: field),
          presence: field.declaration.presence,
          columns: field.declaration.rowColumns)
      }
    }
    func place(_ index: Int) -> Int { fields[index].declaration.column?.place ?? 0 }
    columns = fields.indices.sorted { (place($0), $0) < (place($1), $1) }.compactMap { index in
      let field = fields[index]
      return field.declaration.column.map { column in
        TextColumn(
          presence: field.declaration.presence, isMangled: column.isMangled,
          layout: TextTable.Layout(
            title: column.title, isRight: column.isRight(field.declaration.shape),
            isLine: column.isLine, width: column.width),
          text: field.text ?? { field.value($0)?.text ?? "" })
      }
    }
  }
}

extension Listing {
  /// Writes the members of a row's object, with a comma in front of each but the first.
  ///
  /// - Parameter separator: Is in front of each element of a list.
  func writeMembers(
    _ row: Row, isFirst: Bool, separator: StaticString, in output: inout OutputBuffer
  ) {
    var isFirst = isFirst
    for member in members {
      guard let value = member.value(row) else { continue }
      assert(hasShape(value, member.key), "\(member.key) of \(record.owner)")
      output.append(key: member.key, value, isFirst: isFirst, separator)
      isFirst = false
    }
  }

  /// Writes the members into a row of a table, behind the columns that the row has already.
  func writeRow(_ row: Row, _ writer: RowWriter, in output: inout OutputBuffer) {
    for member in members where !member.columns.isEmpty && writer.has(member.presence) {
      writer.write(member.rowValue(row) ?? .null, member.columns, in: &output)
    }
  }

  /// The value of a field in a table. For an object of one of several kinds, this is its text.
  private static func rowValue(of field: Field<Row>) -> @Sendable (Row) -> Value? {
    guard field.declaration.shape.isVariants, let text = field.text else { return field.value }
    return { .string(text($0)) }
  }

  /// Calls `body` with the values that an object has.
  func forEachValue(_ row: Row, _ body: (Value) -> Void) {
    for member in members { body(member.value(row) ?? .null) }
  }

  private func hasShape(_ value: Value, _ key: StaticString) -> Bool {
    let field = record.fields.first { $0.key?.description == key.description }
    return field?.shape.takes(value) == true
  }

  func writeObject(_ row: Row, separator: StaticString, in output: inout OutputBuffer) {
    output.reserve(1)
    output.append(0x7b)
    writeMembers(row, isFirst: true, separator: separator, in: &output)
    output.reserve(1)
    output.append(0x7d)
  }

  /// A table with the columns of the fields, and a line for each row.
  func table(_ rows: [Row] = []) -> TextTable {
    var table = TextTable(columns.map(\.layout))
    for row in rows { table.append(cells(row)) }
    return table
  }

  /// The cells of a row's line.
  func cells(_ row: Row) -> [String] { columns.map { $0.text(row) } }

  /// The same listing, with only those text columns whose presence is among the given ones.
  ///
  /// - Parameter hasMangled: Whether the columns of mangled names are kept.
  func shown(_ presences: [Presence], hasMangled: Bool) -> Self {
    var shown = self
    shown.columns.removeAll {
      !presences.contains($0.presence) || !hasMangled && $0.isMangled
    }
    return shown
  }
}

/// An object that is the value of a field.
protocol NestedObject {
  func write(separator: StaticString, in output: inout OutputBuffer)
  /// Calls `body` with the values of its fields.
  func forEachValue(_ body: (Value) -> Void)
}

/// The fields of a row as the value of a field.
struct ListedObject<Row>: NestedObject {
  let listing: Listing<Row>
  let row: Row

  func write(separator: StaticString, in output: inout OutputBuffer) {
    listing.writeObject(row, separator: separator, in: &output)
  }

  func forEachValue(_ body: (Value) -> Void) { listing.forEachValue(row, body) }
}

extension OutputBuffer {
  /// Appends a member of a JSON object.
  fileprivate mutating func append(
    key: StaticString, _ value: Value, isFirst: Bool, _ separator: StaticString
  ) {
    reserve(128)
    if !isFirst { append(",") }
    append("\"")
    append(key)
    append("\":")
    switch value {
    case .null: append("null")
    case .string(let text): appendString { $0.append(json: text) }
    case .bytes(let bytes): appendString { $0.append(name: bytes, .json) }
    case .path(let path):
      appendString { $0.append(path: path, .json) }
      if let bytes = path.bytesIfNotUTF8 { append(text: ",\"\(key)Bytes\":\"\(bytes)\"") }
    case .unsigned(let number): append(decimal: number)
    case .signed(let number): append(decimalIfAny: number)
    case .hexadecimal(let number):
      append("\"")
      append(hex: number)
      append("\"")
    case .boolean(let value): append(value ? "true" : "false")
    case .strings(let texts):
      append(0x5b)
      for (index, text) in texts.enumerated() {
        reserve(1)
        if index > 0 { append(0x2c) }
        appendString { $0.append(json: text) }
      }
      reserve(1)
      append(0x5d)
    case .base64(let bytes): appendString { Base64.write(bytes, in: &$0) }
    case .nested(let write): write(&self, separator)
    case .object(let object): object.write(separator: separator, in: &self)
    }
  }

  /// Appends a string of JSON, whose inside `body` appends.
  mutating func appendString(_ body: (inout OutputBuffer) -> Void) {
    reserve(1)
    append(0x22)
    body(&self)
    reserve(1)
    append(0x22)
  }
}

#endif
