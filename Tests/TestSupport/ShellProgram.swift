/// Writes a program for sh.
///
/// Not by this process: a program cannot be run as long as somebody has it open for writing, and that
/// may be a child that was forked meanwhile.
public func writeShellProgram(_ lines: String, to path: String) throws {
  let script = #"printf '%s\n' '#!/bin/sh' "$2" >"$1" && chmod 755 "$1""#
  let result = try run("sh", ["-c", script, "sh", path, lines])
  guard result.succeeded else {
    throw CompilationFailure(command: "sh", output: result.errorOutput)
  }
}
