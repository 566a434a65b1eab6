#if Commands

import Glibc

/// The process's arguments in the form that argument-parser is given them.
///
/// A path may have any bytes, but argument-parser takes Strings. A String made from bytes that are
/// no UTF-8 has lost them. So such a byte travels as one private scalar, U+10FF00 plus the byte,
/// and so do the bytes of these scalars themselves.
///
/// Moreover, argument-parser takes a time that grows with the square of the number of arguments, 7
/// s for 14,000 paths. So consecutive paths travel as one argument. Zero bytes separate them,
/// because no path has one.
enum RawArguments {
  /// The name of the flag that `--demangle=only` travels as: for argument-parser, an option whose value may be
  /// left out takes the path behind it.
  static let demangleOnly = "demangle-only"

  /// The arguments after the program's name.
  static func encoded() -> [String] {
    let arguments = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    var result: [String] = []
    var isBehindTerminator = false
    // How many arguments there were since the last option.
    var run = 0
    for case let argument? in arguments.dropFirst() {
      var text = encode(argument)
      if text == "--demangle=only" { text = "--\(demangleOnly)" }
      if !isBehindTerminator, text.utf8.first == UInt8(ascii: "-") {
        isBehindTerminator = text == "--"
        run = 0
        result.append(text)
      } else {
        run += 1
        if run > unjoined + 1 {
          result[result.count - 1] += "\0" + text
        } else {
          result.append(text)
        }
      }
    }
    return result
  }

  /// The bytes of the arguments that travelled as one.
  static func decode(_ argument: String) -> [[UInt8]] {
    var result: [[UInt8]] = [[]]
    for scalar in argument.unicodeScalars {
      if scalar == "\0" {
        result.append([])
      } else if scalar.value >= firstEscape {
        result[result.count - 1].append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        result[result.count - 1].append(contentsOf: UTF8.encode(scalar) ?? .init())
      }
    }
    return result
  }

  /// An argument that is no path, such as the name of a section.
  static func text(_ argument: String) -> String {
    String(decoding: Array(decode(argument).joined(separator: [0])), as: UTF8.self)
  }

  /// So many arguments behind an option stay apart: the first may be its value, the next a
  /// subcommand, and then what that takes in front of the paths.
  private static let unjoined = 7
  private static let firstEscape: UInt32 = 0x10FF00

  private static func encode(_ argument: UnsafePointer<CChar>) -> String {
    if let text = String(validatingCString: argument),
      !text.unicodeScalars.contains(where: { $0.value >= firstEscape })
    {
      return text
    }
    var result = String.UnicodeScalarView()
    let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
    for (scalar, source) in UTF8Scalars(bytes) {
      if let scalar, scalar.value < firstEscape {
        result.append(scalar)
      } else {
        // All of U+10FF00 to U+10FFFF are scalars.
        result.append(contentsOf: source.compactMap { Unicode.Scalar(firstEscape + UInt32($0)) })
      }
    }
    return String(result)
  }
}

#endif
