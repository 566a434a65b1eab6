import TestSupport

/// The check of `make test-inputs` knows which program has read a file.
@Suite(.measured) struct TestInputsTests {
  /// The kernel gives an ended thread's number to a thread of another program.
  @Test func numbersComeAgain() throws {
    let script = """
      import importlib.machinery, importlib.util, sys
      loader = importlib.machinery.SourceFileLoader("inputs", sys.argv[1])
      module = importlib.util.module_from_spec(importlib.util.spec_from_loader("inputs", loader))
      loader.exec_module(module)
      trace = module.Trace(lambda path: True)
      trace.read(sys.stdin)
      for number, thread, path in trace.opened:
          print(path, trace.program(number, thread))
      """
    let lines = """
      10 execve("/bin/compiler", ["compiler"], 0x7ff /* 9 vars */) = 0
      11 execve("/bin/reader", ["reader"], 0x7ff /* 9 vars */) = 0
      11 openat(AT_FDCWD</>, "/first", O_RDONLY) = 3</first>
      11 +++ exited with 0 +++
      11 openat(AT_FDCWD</>, "/second", O_RDONLY) = 3</second>
      10 clone3({flags=CLONE_VM, ...} => {parent_tid=[11]}, 88) = 11
      11 openat(AT_FDCWD</>, "/third", O_RDONLY) = 3</third>
      11 +++ killed by SIGKILL +++
      10 vfork() = 11
      11 execve("/bin/reader", ["reader"], 0x7ff /* 9 vars */ <unfinished ...>
      11 <... execve resumed>) = 0
      11 openat(AT_FDCWD</>, "/fourth", O_RDONLY) = 3</fourth>
      """
    let tool = Places.package.appending(path: "Scripts/test-inputs").path
    let command = #"printf '%s\n' "$3" | "$0" -B -c "$1" "$2""#
    let result = try run("bash", ["-c", command, Places.python, script, tool, lines])
    #expect(
      result.output == """
        /first /bin/reader
        /second /bin/compiler
        /third /bin/compiler
        /fourth /bin/reader

        """, "\(result.errorOutput)")
  }
}
