#if Commands

import Glibc

/// How text is dressed up for a terminal.
struct TextStyle {
  /// True if the columns are filled up with spaces, under a line of titles.
  let isAligned: Bool
  let isColored: Bool

  init(_ color: ColorChoice) {
    isAligned = isatty(STDOUT_FILENO) != 0
    isColored =
      switch color {
      case .always: true
      case .never: false
      case .auto: isAligned && !Self.isSet("NO_COLOR") && !Self.isDumb
      }
  }

  /// Writes a line for people, where titles are shown too.
  func tell(_ line: String, in output: inout OutputBuffer) {
    if isAligned { output.append(text: line + "\n") }
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
