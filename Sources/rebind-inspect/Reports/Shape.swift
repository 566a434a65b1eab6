#if Commands

/// Which values a field has in JSON.
indirect enum Shape: Sendable {
  /// Text of at least so many characters.
  case string(atLeast: Int)
  /// Text that a regular expression of JSON Schema matches.
  case pattern(String)
  /// One of these words.
  case words([String])
  /// A path; a member with `Bytes` behind the key has the bytes, if they are not UTF-8.
  case path
  case integer(ClosedRange<Int64>)
  case hexadecimal
  case boolean
  case texts
  case base64
  /// A pattern or a range that stands once in the schema, under this name.
  case named(String)
  case object(Record)
  /// An object of one of several kinds, which its member `kind` names.
  case variants(Variants)
  /// A list of objects, and the smallest number of them.
  case list(Record, atLeast: Int)
  /// A value of another shape, or null.
  case nullable(Shape)
}

extension Shape {
  static var text: Shape { .string(atLeast: 0) }
  static var name: Shape { .string(atLeast: 1) }
  static var number: Shape { .integer(.min ... .max) }
  static var count: Shape { .integer(0 ... .max) }
  static var index: Shape { .integer(1 ... .max) }
  static var hex: Shape { .hexadecimal }
  static var bool: Shape { .boolean }

  /// A word of letters and hyphens; more may come.
  static var code: Shape { .named("code") }
  /// The name of a value. A value without a name is given as a range and the distance from its
  /// start.
  static var term: Shape { .named("term") }
  /// The same as `term`, for names that may have digits and more than one word.
  static var constant: Shape { .named("constant") }
  /// A number of 16 bits.
  static var half: Shape { .named("half") }
  /// A number of 32 bits.
  static var word: Shape { .named("word") }
  /// An index in a list, from 0; null for none.
  static var place: Shape { .nullable(.count) }
  /// Bytes in hexadecimal, two digits each.
  static var hexBytes: Shape { .pattern("^([0-9a-f]{2})+$") }

  static func list(_ record: Record) -> Shape { .list(record, atLeast: 0) }

  /// The same values, or null.
  var orNull: Shape { .nullable(self) }

  /// True for values that are aligned to the right of their column.
  var isNumber: Bool {
    switch self {
    case .integer, .hexadecimal: true
    case .named(let name): name == "half" || name == "word"
    case .nullable(let shape): shape.isNumber
    default: false
    }
  }

  /// True if the value is of the shape's kind; the schema says more.
  func takes(_ value: Value) -> Bool {
    switch (self, value) {
    case (.nullable, .null): true
    case (.nullable(let shape), _): shape.takes(value)
    case (.string, .string), (.string, .bytes), (.pattern, .string), (.path, .path): true
    case (.words(let words), .string(let word)): words.contains(word)
    case (.integer, .unsigned), (.integer, .signed): true
    case (.hexadecimal, .hexadecimal), (.boolean, .boolean), (.texts, .strings): true
    case (.base64, .base64), (.named, .string), (.named, .unsigned): true
    case (.object, .object), (.object, .nested), (.variants, .nested), (.list, .nested): true
    default: false
    }
  }
}

#endif
