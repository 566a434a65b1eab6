import ArgumentParser

/// The path of an input: bytes as they stood on the command line, which need not be UTF-8.
struct InputPath {
  /// The bytes and the zero that ends them, as the system calls take them.
  let cString: [CChar]

  init(_ bytes: [UInt8]) {
    cString = bytes.map { CChar(bitPattern: $0) } + [0]
  }

  /// The bytes as hexadecimal digits, if a String of them would not be the path.
  var bytesIfNotUTF8: String? {
    let bytes = cString.dropLast().map { UInt8(bitPattern: $0) }
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    return bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// The paths of one argument of argument-parser's, which are several by `RawArguments`.
struct InputPaths: ExpressibleByArgument {
  let paths: [InputPath]

  init(argument: String) {
    paths = RawArguments.decode(argument).map(InputPath.init)
  }

  static var defaultCompletionKind: CompletionKind { .file() }
}
