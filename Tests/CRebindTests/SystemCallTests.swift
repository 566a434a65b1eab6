import Foundation
import TestSupport
import Testing

/// The core makes system calls by itself: each case in a child process.
@Suite struct SystemCallTests {
  @Test(arguments: Compiler.all)
  func forkBesideAnInterposedSyscallDoesNotHang(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    try bench.library("liblocked.so", "locked-syscall.c", flags: ["-DLIBRARY"])
    let program = try bench.program("locked-syscall", "locked-syscall.c", needs: ["locked"])
    try bench.expect(program, output: "forked without it\n")
  }

  @Test(arguments: Compiler.all)
  func aCopyThatIsLoadedLateKeepsNoHook(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    let plugin = try bench.library(
      "copy.so", "two-copies-plugin.c", flags: ["-Wl,-Bsymbolic"], withCore: true)
    let program = try bench.program("hooked-before", "hooked-before.c")
    try bench.expect(program, [plugin], output: "not called\n")
  }
}
