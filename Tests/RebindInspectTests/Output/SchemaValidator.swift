import TestSupport

/// Holds output against Documentation/rebind-inspect.schema.json by Python's jsonschema.
struct SchemaValidator {
  private let scratch: TemporaryDirectory
  private var outputs: [String] = []

  init() throws {
    scratch = try TemporaryDirectory()
  }

  /// Keeps output for `failures()`.
  mutating func add(_ output: Data, isLines: Bool = false) throws {
    let url = scratch.url.appending(path: "\(outputs.count).json\(isLines ? "l" : "")")
    try output.write(to: url)
    outputs.append(url.path)
  }

  /// Runs a subcommand with `--format json` and with `jsonl`, and keeps what it prints.
  ///
  /// - Returns: The exit status, which is the same.
  mutating func add(_ command: [String]) throws -> Int32 {
    let results = try ["json", "jsonl"].map {
      try inspect([command[0], "--format", $0] + command.dropFirst())
    }
    try add(results[0].standardOutput)
    try add(results[1].standardOutput, isLines: true)
    guard results[0].status == results[1].status else {
      throw SetupFailure(output: "\(command): the exit status depends on the format")
    }
    return results[0].status
  }

  /// The validator's objections to the outputs; empty if they are valid.
  func failures() throws -> String {
    let result = try Self.python(Self.script, [Self.schema] + outputs)
    return result.succeeded ? "" : "invalid: \(result.errorOutput)"
  }

  /// True on Ubuntu 22.04: the library there does not know the draft that the schema is of.
  static let isTooOld: Bool = {
    let result = try? python("import jsonschema; jsonschema.Draft202012Validator", [])
    return result?.errorOutput.contains("no attribute 'Draft202012Validator'") == true
  }()

  private static let schema =
    Places.package.appending(path: "Documentation/rebind-inspect.schema.json").path

  private static let script = """
    import json, jsonschema, sys
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sys.argv[2:]:
        text = open(path, encoding="utf-8").read()
        for document in text.splitlines() if path.endswith("l") else [text]:
            for error in validator.iter_errors(json.loads(document)):
                sys.exit(f"{error.json_path} of {path}: {error.message[:1000]}")
    """

  private static func python(_ script: String, _ arguments: [String]) throws -> ProcessResult {
    // Debian's python3-jsonschema belongs to this interpreter.
    try run(Places.python, ["-c", script] + arguments)
  }
}
