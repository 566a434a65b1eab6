#if Commands

import Glibc
import RebindFiles

/// How text is dressed up for a terminal.
struct TextStyle {
  /// True if the columns are filled up with spaces.
  let isAligned: Bool
  /// True if lines are broken that are too wide for the terminal.
  let isWrapped: Bool
  let isColored: Bool
  /// True if a line of titles stands above the columns.
  let hasTitles: Bool
  /// The path in front of each line; nil for none.
  var path: FilePath?

  init(_ color: ColorChoice, hasTitles: Bool = false) {
    isAligned = isatty(STDOUT_FILENO) != 0
    self.hasTitles = hasTitles || isAligned
    isWrapped = LineWrapper(descriptor: STDOUT_FILENO) != nil
    isColored =
      switch color {
      case .always: true
      case .never: false
      case .auto: isAligned && !Self.isSet("NO_COLOR") && !Self.isDumb
      }
  }

  /// Writes a line for people, where titles are shown too.
  func tell(_ line: String, in output: inout OutputBuffer) {
    guard isAligned else { return }
    begin(in: &output)
    output.append(text: line + "\n")
  }

  /// Writes what stands in front of each line.
  @inline(__always)
  func begin(in output: inout OutputBuffer) {
    guard let path else { return }
    output.append(path: path, .column)
    output.reserve(1)
    output.append(0x20)
  }

  /// By no-color.org, an empty variable is none.
  private static func isSet(_ variable: String) -> Bool {
    getenv(variable).map { $0.pointee != 0 } ?? false
  }

  static var isDumb: Bool {
    getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? false
  }
}

/// The values of `--color`.
enum ColorChoice: String, CaseIterable {
  case auto, always, never
}

/// The sequences that start a colour, and the one that ends it.
extension TextStyle {
  static var heading: StaticString { "\u{1B}[1m" }
  static var undefined: StaticString { "\u{1B}[33m" }
  static var version: StaticString { "\u{1B}[36m" }
  static var demangled: StaticString { "\u{1B}[32m" }
  static var removed: StaticString { "\u{1B}[31m" }
  static var added: StaticString { "\u{1B}[32m" }
  static var plain: StaticString { "\u{1B}[0m" }

  /// The most bytes that one of them has.
  static var longestColor: Int { 5 }
}

#endif
