#if Commands

/// How the objects of a list are written: elements of a document, or a line each.
struct ObjectFrame {
  /// The start of each object, with its brace.
  private let start: [UInt8]
  private let areLines: Bool

  /// The value of a missing text: rows have an empty one, as `RowFormatter` says.
  var none: StaticString { areLines ? "\"\"" : "null" }

  /// Elements, with `separator` in front of each.
  init(separator: StaticString) {
    start = separator.withUTF8Buffer { Array($0) } + [0x7b]
    areLines = false
  }

  /// Lines that start with an object's brace and first members.
  init(lineStart: [UInt8]) {
    start = lineStart
    areLines = true
  }

  /// Writes the start of an object, behind which its first member stands, or in a line its next one.
  @inline(__always)
  func begin(isFirst: inout Bool, in output: inout OutputBuffer) {
    if !isFirst, !areLines {
      output.reserve(1)
      output.append(0x2c)
    }
    isFirst = false
    output.append(bytes: start)
  }

  @inline(__always)
  func end(in output: inout OutputBuffer) {
    output.reserve(2)
    output.append(0x7d)
    if areLines { output.append(0x0a) }
  }
}

#endif
