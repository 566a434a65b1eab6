#if Commands

/// A field without the way to get it from a row: its key in JSON, its column of text, its shape and
/// its meaning. Output, JSON Schema, Documentation/JSON.md and help come from it.
struct Declaration: Sendable {
  /// Nil for a column that only text has.
  let key: StaticString?
  /// Nil for a field that only JSON has.
  let column: Column?
  let shape: Shape
  /// In words, as Markdown.
  let meaning: String
  let presence: Presence

  /// The meaning of the column, in which `-` stands for none and strings have no quotes, and when the
  /// column is there.
  var columnMeaning: String {
    let text =
      column?.meaning
      ?? meaning.replacing("`null`", with: "`-`").replacing("`\"", with: "`")
      .replacing("\"`", with: "`")
    return text + (presence.condition.map { "; \($0)" } ?? "")
  }

  init(
    _ key: StaticString?, _ column: Column?, _ shape: Shape, _ meaning: String,
    when presence: Presence = .always
  ) {
    self.key = key
    self.column = column
    self.shape = shape
    self.meaning = meaning
    self.presence = presence
  }

  init(
    _ key: StaticString, _ shape: Shape, _ meaning: String, when presence: Presence = .always
  ) {
    self.init(key, nil, shape, meaning, when: presence)
  }
}

/// When a field is there.
enum Presence: Sendable, Equatable {
  case always
  /// With `--pid` alone.
  case ofProcess
  /// With the option that the text names, as Markdown.
  case with(String)

  /// With `--pid`, as Markdown; nil if it is always there.
  var condition: String? {
    switch self {
    case .always: nil
    case .ofProcess: "with `--pid`"
    case .with(let option): "with \(option)"
    }
  }
}

/// A column of a field in text.
struct Column: Sendable, ExpressibleByStringLiteral {
  let title: StaticString
  /// True for numbers; nil if the field's shape says it.
  var isRight: Bool?
  /// True for words, which may have spaces; nothing fills them up.
  var isLine = false
  /// True for mangled names, which `--demangle=only` leaves out.
  var isMangled = false
  /// Columns stand in the order of their places, and those of one place in the order of the fields.
  var place = 0
  /// How wide the column is, where lines are written one by one.
  var width = 0
  /// The meaning of the column; nil if it is the field's.
  var meaning: String?

  init(
    _ title: StaticString, isRight: Bool? = nil, isLine: Bool = false, isMangled: Bool = false,
    place: Int = 0, width: Int = 0, _ meaning: String? = nil
  ) {
    self.title = title
    self.isRight = isRight
    self.isLine = isLine
    self.isMangled = isMangled
    self.place = place
    self.width = width
    self.meaning = meaning
  }

  init(stringLiteral title: StaticString) { self.init(title) }

  /// True if values of the shape are aligned to the right.
  func isRight(_ shape: Shape) -> Bool { isRight ?? shape.isNumber }
}

/// The fields of one kind of object.
struct Record: Sendable {
  /// The name of the object's definition in the schema.
  let name: String
  /// The owner of the fields, behind "field of": `a segment`.
  let owner: String
  let fields: [Declaration]

  init(_ name: String, of owner: String, _ fields: [Declaration]) {
    self.name = name
    self.owner = owner
    self.fields = fields
  }

  /// The columns of text, from left to right.
  var columns: [Declaration] {
    func place(_ field: Declaration) -> Int { field.column?.place ?? 0 }
    return fields.indices.filter { fields[$0].column != nil }
      .sorted { (place(fields[$0]), $0) < (place(fields[$1]), $1) }.map { fields[$0] }
  }
}

/// The kinds of one object, each with fields of its own beside `kind`. More may come.
struct Variants: Sendable {
  /// The name of the object's definition in the schema.
  let name: String
  let owner: String
  /// Each record's name is the kind.
  let records: [Record]
}

#endif
