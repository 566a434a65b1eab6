import TestSupport

/// Tests/Witnesses, which compares what rebind-inspect says with what other readers say.
enum Witness {
  /// - Parameter arguments: Options and files.
  static func compare(
    with reader: String, _ arguments: [String], program: String = inspectPath
  ) throws -> ProcessResult {
    let options = arguments.prefix { !$0.hasPrefix("/") }
    let script = Places.package.appending(path: "Tests/Witnesses/compare.py").path
    return try run(
      Places.python,
      ["-B", script] + options + [reader, program] + arguments.dropFirst(options.count))
  }
}
