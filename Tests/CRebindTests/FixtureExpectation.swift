import TestSupport

/// Runs a fixture, which checks by itself, and expects its one line, nothing on
/// standard error, and success.
func expect(
  _ output: String, from program: URL, arguments: [String] = [],
  environment: [String: String] = [:],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let result = try run(program.path, arguments, environment: environment)
  #expect(result.errorOutput == "", sourceLocation: sourceLocation)
  #expect(result.output == output, sourceLocation: sourceLocation)
  #expect(result.succeeded, sourceLocation: sourceLocation)
}
