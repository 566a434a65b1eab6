import Testing

/// What a fixture is instrumented with.
enum Sanitizer: String, CaseIterable, CustomTestStringConvertible {
  case none, thread, address
  var testDescription: String { self == .none ? "plain" : "-fsanitize=\(rawValue)" }
  var flags: [String] { self == .none ? [] : ["-fsanitize=\(rawValue)", "-O1"] }
}
