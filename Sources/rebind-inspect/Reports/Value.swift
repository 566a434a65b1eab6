#if Commands

import RebindFiles

/// The value that a field has in one row.
enum Value {
  /// None.
  case null
  case string(String)
  /// Text of a file, which need not be UTF-8.
  case bytes(UnsafeRawBufferPointer)
  /// In JSON a second member has the bytes, if they are not UTF-8.
  case path(FilePath)
  case unsigned(UInt64)
  case signed(Int64)
  case hexadecimal(UInt64)
  case boolean(Bool)
  case strings([String])
  case base64([UInt8])
  /// An object or a list, which the closure writes, with the separator in front of each element.
  case nested((inout OutputBuffer, StaticString) -> Void)
  /// An object that a table has columns for.
  case object(any NestedObject)
}

extension Value {
  static func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }

  static func number(_ number: (some BinaryInteger)?) -> Value {
    guard let number else { return .null }
    return number < 0 ? .signed(Int64(number)) : .unsigned(UInt64(number))
  }

  static func hex(_ number: UInt64?) -> Value { number.map { .hexadecimal($0) } ?? .null }

  static func bool(_ value: Bool?) -> Value { value.map { .boolean($0) } ?? .null }

  static func texts(_ texts: [String]?) -> Value { texts.map { .strings($0) } ?? .null }

  /// An object with the fields of a row.
  static func object<Row>(_ listing: Listing<Row>, _ row: Row?) -> Value {
    guard let row else { return .null }
    return .object(ListedObject(listing: listing, row: row))
  }

  /// A list of objects, one for each row.
  static func list<Row>(_ listing: Listing<Row>, _ rows: [Row]) -> Value {
    list(listing) { body in for row in rows { body(row) } }
  }

  /// A list of objects, one for each row that `forEach` calls its body with.
  static func list<Row>(
    _ listing: Listing<Row>, forEach: @escaping ((Row) -> Void) -> Void
  ) -> Value {
    .nested { output, separator in
      output.append(text: "[")
      var isFirst = true
      forEach { row in
        output.begin(isFirst: &isFirst, separator)
        listing.writeObject(row, separator: "", in: &output)
      }
      output.append(text: "]")
    }
  }

  /// The cell of a text column; empty for none.
  var text: String {
    switch self {
    case .null, .nested, .object: ""
    case .string(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .path(let path): path.text
    case .unsigned(let number): String(number)
    case .signed(let number): String(number)
    case .hexadecimal(let number): "0x" + String(number, radix: 16)
    case .boolean(let value): String(value)
    case .strings(let texts): texts.joined(separator: ",")
    case .base64(let bytes): "\(bytes.count) bytes"
    }
  }
}

#endif
