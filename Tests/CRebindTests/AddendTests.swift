import TestSupport

#if arch(x86_64)
/// Programs whose jump slots have addends that the loader ignores, as `ld -z mark-plt` writes them.
@Suite(.measured) struct AddendTests {
  @Test(arguments: ["lazy", "now"])
  func hookRunsAtEachCallOfAMarkedProgram(binding: String) throws {
    let builder = try FixtureBuilder(.gcc)
    let program = try builder.build("calls", from: ["calls.c"], flags: ["-Wl,-z,\(binding)"])
    try markPLT(of: program)
    try expect("the hook ran 5 of 5\n", from: program)
  }

  @Test(arguments: ["lazy", "now"])
  func auditOfAMarkedProgramIsClean(binding: String) throws {
    let builder = try FixtureBuilder(.gcc)
    let program = try builder.build(
      "audit", from: ["audit.c"], flags: ["-rdynamic", "-Wl,-z,\(binding)"])
    try markPLT(of: program)
    try expect("audited\n", from: program)
  }
}
#endif
