import TestSupport

/// Runs the built `rebind-inspect`.
func inspect(
  _ arguments: [String], environment: [String: String] = [:]
) throws -> ProcessResult {
  try run(inspectPath, arguments, environment: environment)
}

/// Runs a line of bash, in which `$0` is `rebind-inspect` and `$1` and so on are the arguments.
func bash(_ line: String, _ arguments: [String] = []) throws -> ProcessResult {
  try run("bash", ["-c", line, inspectPath] + arguments)
}

/// The command that REBIND_INSPECT names, which is built for release, or else the one beside the tests.
let inspectPath =
  ProcessInfo.processInfo.environment["REBIND_INSPECT"]
  ?? Places.products.appending(path: "rebind-inspect").path

/// Runs `rebind-inspect` on a terminal.
func inspectOnTerminal(
  _ arguments: [String], environment: [String: String] = [:]
) throws -> ProcessResult {
  try run(
    Places.python, ["-c", "import pty, sys; pty.spawn(sys.argv[1:])", inspectPath] + arguments,
    environment: ["NO_COLOR": "", "TERM": "xterm"].merging(environment) { $1 })
}

/// The output of `--format json`, with as much of each file as a test looks at.
struct Document<Content: Decodable>: Decodable {
  var schema: String
  var files: [Content]

  /// The output of a subcommand.
  init(
    _ subcommand: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    let result = try inspect(
      [subcommand, "--format", "json"] + arguments, environment: environment)
    self = try JSONDecoder().decode(Self.self, from: result.standardOutput)
  }
}

typealias Report = Document<File>

extension Document<File> {
  /// The output of `symbols` for the files.
  init(_ arguments: [String]) throws { try self.init("symbols", arguments) }
}

extension ProcessResult {
  /// The output of `--format json`.
  func report() throws -> Report { try JSONDecoder().decode(Report.self, from: standardOutput) }

  /// The output of `--format jsonl`.
  func lines<Content: Decodable>(of _: Content.Type = File.self) throws -> [Content] {
    try standardOutput.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Content.self, from: $0)
    }
  }
}

struct File: Decodable {
  var path: String
  var pathBytes: String?
  var error: Failure?
  var `class`: Int?
  var byteOrder: String?
  var machine: String?
  var machineValue: Int?
  var type: String?
  var typeValue: Int?
  var symbolSource: String?
  var symbols: [Symbol]?
  var annotationSource: String?
  var annotations: [Annotation]?
  var faults: [Fault]?
  var expected: Int?
  var pid: Int?
  var loadBias: String?
  var section: Section?
  var base64: Data?
  var strings: [FoundString]?
  var pointers: [Pointer]?
  var slots: [Slot]?
  var findings: [Finding]?
  var start: String?
  var end: String?
  var order: Int?
  var namespace: Int?
  var isPreloaded: Bool?
  var isAuditor: Bool?
  var file: String?
  var buildID: String?
  var soname: String?

  struct Finding: Decodable {
    var kind: String
    var address: String?
    var end: String?
    var symbol: String?
    var version: String?
    var target: Target?
    var expected: Target?
  }

  struct Annotation: Decodable, Equatable {
    var offset: String
    var group: String
    var key: String
    var value: String
    var priority: Int
    var line: Int?
    var hasAccessor: Bool
    var accessor: String?
  }

  struct Fault: Decodable, Equatable {
    var offset: String
    var size: Int
    var code: String
    var message: String
  }

  struct Section: Decodable {
    var name: String
    var source: String
    var type: String
    var flags: String
    var address: String
    var offset: String
    var size: Int
    var contentSize: Int
  }

  struct FoundString: Decodable, Equatable {
    var offset: String
    var string: String
  }

  struct Pointer: Decodable, Equatable {
    var address: String
    var value: String?
    var string: String?
    var symbol: String?
  }

  struct Failure: Decodable {
    var code: String
    var message: String
    var field: String?
    var offset: String?
  }

  /// The first symbol of a name.
  func symbol(_ name: String) -> Symbol? { symbols?.first { $0.name == name } }
}

struct Symbol: Decodable, Equatable {
  var index: Int
  var name: String
  var demangledName: String?
  var version: String?
  var isDefaultVersion: Bool?
  var value: String
  var size: UInt64
  var type: String
  var binding: String
  var visibility: String
  var sectionIndex: Int
  var isDefined: Bool
}

struct Slot: Decodable, Equatable {
  var address: String
  var relocation: String
  var kind: String
  var symbol: String
  var version: String?
  var addend: Int64?
  var added: Int64?
  var section: String?
  var binding: String
  var relro: Bool
  var needs: String
  var value: String?
  var state: String?
  var target: Target?
  var reboundBy: String?
  var bypass: Target?

  /// Without what it holds in a process.
  var ofFile: Slot {
    var slot = self
    (slot.value, slot.state, slot.target, slot.reboundBy) = (nil, nil, nil, nil)
    slot.bypass = nil
    return slot
  }
}

struct Target: Decodable, Equatable {
  var address: String
  var image: String?
  var symbol: String?
  var offset: String
}
