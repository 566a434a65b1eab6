import Foundation

let usage = """
  Usage: file-trace [--json] [--output FILE] COMMAND [ARGUMENT]...

  Runs COMMAND and reports its opens, reads, writes, closes and connects, as a table or as
  JSON lines, on standard error or in FILE.
  """

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  printError(usage)
  exit(64)
}
do {
  try trace(options).passOn()
} catch {
  printError("file-trace: \(error)")
  exit(1)
}

/// Runs the command and reports; the temporary file is gone when this returns.
func trace(_ options: Options) throws -> Ending {
  let signals = HeldSignals()
  let report = try ReportFile()
  let ending = try run(options.command, reportingTo: report.url, holding: signals)
  let lines = try Data(contentsOf: report.url)
  let text = options.json ? lines : try table(of: lines)
  if let output = options.output {
    try text.write(to: URL(filePath: output))
  } else {
    try FileHandle.standardError.write(contentsOf: text)
  }
  return ending
}

func printError(_ text: String) {
  FileHandle.standardError.write(Data("\(text)\n".utf8))
}
