import RebindTesting
import TestSupport

/// libffi is opened when a handler needs it, and nothing else does.
@Suite(.measured) struct LibffiTests {
  /// A program whose dlopen does not find the library where an environment variable says so.
  private static func program() throws -> RebindProgram {
    try RebindProgram(
      """
      import Glibc
      import RebindTesting
      typealias GetNumber = @convention(c) () -> pid_t
      do {
        let number = try withRebinding("getppid", { _ -> CInt in 7 }) { getppid() }
        print("handler", number)
      } catch {
        print(error)
      }
      let failed = try withFailing("getpgrp", returning: -1) { getpgrp() }
      let calls = try withRecordedCalls(of: "getuid") { recording in
        _ = getuid()
        return recording.calls(of: "getuid").count
      }
      print("fault", failed, "recorded", calls)
      """,
      c: """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <string.h>
        void *dlopen(const char *name, int mode) {
          void *(*real)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
          if (name != NULL && strncmp(name, "libffi", 6) == 0 && getenv("NO_LIBFFI")) return NULL;
          return real(name, mode);
        }
        """,
      modules: [
        "RebindTesting", "FaultVocabulary", "RebindCounting", "CRebindTesting", "CRebindStubs",
        "CRebindCounting",
        "CRebindReach", "CRebind",
      ])
  }

  @Test func aHandlerIsCalled() throws {
    let result = try Self.program().run()
    #expect(result.output == "handler 7\nfault -1 recorded 1\n", "\(result.errorOutput)")
  }

  @Test func withoutLibffiEverythingElseWorks() throws {
    let result = try Self.program().run(under: ["env", "NO_LIBFFI=1"])
    #expect(
      result.output == """
        cannot rebind getppid: its handler is called by libffi, which cannot be opened: install \
        libffi8 (sudo apt-get install libffi8, or libffi for other systems)
        fault -1 recorded 1

        """, "\(result.errorOutput)")
  }
}
