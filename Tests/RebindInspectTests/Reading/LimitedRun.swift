import TestSupport

/// Runs `rebind-inspect` with a limit for whatever may grow with its inputs: address space, the
/// processor's time, and open files.
///
/// - Parameter peak: The most memory that was in use, in KB.
func inspectWithLimits(
  _ arguments: [String], currentDirectory: URL? = nil, peak: inout Int
) throws -> ProcessResult {
  let scratch = try TemporaryDirectory()
  let report = scratch.url.appending(path: "report")
  // Of the shell's `ulimit`, no shell has the memory in use.
  let script = """
    import os, resource, subprocess, sys
    for limit, value in (
        (resource.RLIMIT_AS, 2 << 30), (resource.RLIMIT_CPU, 60), (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (value, value))
    status = subprocess.run(sys.argv[2:]).returncode
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    open(sys.argv[1], "w").write(f"{status} {peak}")
    """
  var result = try run(
    Places.python, ["-c", script, report.path, inspectPath] + arguments,
    currentDirectory: currentDirectory)
  let numbers = try String(contentsOf: report, encoding: .utf8).split(separator: " ")
    .compactMap { Int32($0) }
  guard numbers.count == 2 else { throw SetupFailure(output: result.errorOutput) }
  // Of one that was ended by a signal it is the signal's, and negative.
  result.status = abs(numbers[0])
  result.wasSignalled = numbers[0] < 0
  peak = Int(numbers[1])
  return result
}

func inspectWithLimits(
  _ arguments: [String], currentDirectory: URL? = nil
) throws -> ProcessResult {
  var peak = 0
  return try inspectWithLimits(arguments, currentDirectory: currentDirectory, peak: &peak)
}
