#if Commands

import Glibc

/// Breaks lines that are too wide for a terminal: between columns and words, and in a list that is wider
/// than a line behind its commas. Names stay whole. A column that is filled up with spaces keeps its
/// width, so that titles stay above their columns.
struct LineWrapper {
  /// Stands for a space that no line is broken at. No output has it, as control characters are
  /// escaped.
  static let joinedSpace: UInt8 = 1

  private let width: Int
  /// The start of a line whose end has not come yet.
  private var rest: [UInt8] = []

  /// Nil unless the descriptor is a terminal that says how wide it is. The corresponding request is
  /// `TIOCGWINSZ`.
  init?(descriptor: Int32) {
    var size = winsize()
    guard isatty(descriptor) != 0, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return nil }
    width = max(Int(size.ws_col), 2 * Self.indent)
  }

  /// The lines that are whole now, broken where they are too wide.
  mutating func wrap(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: 0x0a) {
      rest += bytes[start..<end]
      append(rest[...], to: &output)
      output.append(0x0a)
      rest = []
      start = end + 1
    }
    rest += bytes[start...]
    return output
  }

  /// The line that has no end.
  mutating func takeRest() -> [UInt8] {
    var output: [UInt8] = []
    append(rest[...], to: &output)
    rest = []
    return output
  }

  private func append(_ line: ArraySlice<UInt8>, to output: inout [UInt8]) {
    let fits = Self.columns(of: line) <= width
    var (column, place, isEmpty) = (0, line.startIndex, true)
    while place < line.endIndex {
      let word = line[place...].drop { $0 == 0x20 }
      let end = word.firstIndex(of: 0x20) ?? line.endIndex
      var spaces = word.startIndex - place
      for part in parts(of: line[word.startIndex..<end], areWanted: !fits) {
        let size = Self.columns(of: part)
        if !fits, !isEmpty, column + spaces + size > width, !word.isEmpty {
          while output.last == 0x20 { output.removeLast() }
          output.append(0x0a)
          output.append(contentsOf: repeatElement(0x20, count: Self.indent))
          column = Self.indent
        } else if fits || !word.isEmpty {
          output.append(contentsOf: repeatElement(0x20, count: spaces))
          column += spaces
        }
        for byte in part { output.append(byte == Self.joinedSpace ? 0x20 : byte) }
        column += size
        spaces = 0
        isEmpty = isEmpty && word.isEmpty
      }
      place = end
    }
  }

  /// The word, or if it is wider than a line the elements of the list that it is, each with the comma
  /// behind it. A comma in brackets is one of a name, and so is one in a path.
  private func parts(of word: ArraySlice<UInt8>, areWanted: Bool) -> [ArraySlice<UInt8>] {
    guard areWanted, Self.columns(of: word) > width - Self.indent else { return [word] }
    let slash = UInt8(ascii: "/")
    let isOfPaths = word.contains(slash)
    var parts: [ArraySlice<UInt8>] = []
    var (start, depth) = (word.startIndex, 0)
    for place in word.indices.dropLast() {
      let next = word[place + 1]
      switch word[place] {
      case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",")
      where depth <= 0 && next != Self.joinedSpace && (!isOfPaths || next == slash):
        parts.append(word[start...place])
        start = place + 1
      default: break
      }
    }
    return parts + [word[start...]]
  }

  /// How many columns bytes take, if a character takes one, and a sequence that sets a colour none.
  private static func columns(of bytes: ArraySlice<UInt8>) -> Int {
    var count = 0
    var isSequence = false
    for byte in bytes {
      if isSequence {
        isSequence = byte != UInt8(ascii: "m")
      } else if byte == 0x1b {
        isSequence = true
      } else if byte & 0xc0 != 0x80 {
        count += 1
      }
    }
    return count
  }

  /// The indent of all lines but the first.
  private static let indent = 4
}

#endif
