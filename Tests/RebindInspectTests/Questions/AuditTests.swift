import Foundation
import ELFInspection
import Glibc
import RebindFiles
import TestSupport
import Testing

/// The findings of `audit --pid` in a process.
@Suite(.needsCommands, .measured) struct AuditTests {
  @Test(arguments: [
    ["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-Wl,-z,norelro"], ["-no-pie", "-fno-pie"],
    ["-fuse-ld=gold"], ["-static"], ["-static-pie"],
  ])
  func clean(_ flags: [String]) throws {
    let process = try LookedAtProgram(flags: flags).started()
    let result = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output == "" && result.errorOutput == "")
    #expect(try report("audit", process).files.isEmpty)
  }

  @Test func rebound() throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound")
    let (files, status) = try report("audit", process)
    #expect(status == 1)
    let findings = files.flatMap { $0.findings ?? [] }
    #expect(Set(findings.map(\.kind)) == ["rebound-slot", "redirected-symbol"])
    #expect(Set(findings.map(\.symbol)) == ["open", "malloc"])
    for finding in findings {
      #expect(finding.target?.image == program.url.path)
      #expect(finding.expected?.symbol == finding.symbol)
      #expect(finding.expected?.image?.hasSuffix("/libc.so.6") == true)
    }
    let slots = try report("slots", process, ["--state", "rebound"]).files
    #expect(
      findings.filter { $0.kind == "rebound-slot" }.map(\.address)
        == slots.flatMap { $0.slots ?? [] }.map(\.address))
  }

  @Test func patchedSlot() throws {
    let program = try LookedAtProgram()
    let process = try program.started("patched")
    let (files, status) = try report("audit", process)
    #expect(status == 1 && files.map(\.path) == [program.url.path])
    let finding = try #require(files.first?.findings?.first)
    #expect(files.first?.findings?.count == 1)
    #expect(finding.kind == "rebound-slot" && finding.symbol == "getppid")
    #expect(finding.version?.hasPrefix("GLIBC_") == true)
    #expect(finding.target?.image == program.url.path && finding.expected?.symbol == "getppid")

    let text = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(text.status == 1)
    let lines = text.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.first == "\(program.url.path):")
    #expect(lines.last?.hasPrefix("rebound-slot 0x") == true)
    #expect(lines.last?.split(separator: " ").count == 5)
    let readable = try inspect(["audit", "--demangle=only", "--pid", "\(process.id)"]).output
    let cells = try #require(readable.split(separator: "\n").last).split(separator: " ")
    #expect(cells.count == 5 && cells[4].hasPrefix("getppid@GLIBC_"))
  }

  @Test func preloadedLibrary() throws {
    let program = try LookedAtProgram()
    let hook = try program.hook()
    let process = try program.started(preloading: hook)
    let (files, status) = try report("audit", process)
    #expect(status == 1)
    let library = try #require(files.first { $0.path == hook.path })
    #expect(library.findings?.map(\.kind) == ["preloaded-image"])
    let slots = try #require(files.first { $0.path == program.url.path }?.findings)
    #expect(!slots.isEmpty)
    for finding in slots {
      #expect(finding.kind == "interposed-slot" && finding.symbol == "getppid")
      #expect(finding.target?.image == hook.path && finding.target?.symbol == "getppid")
      #expect(finding.expected?.image?.hasSuffix("/libc.so.6") == true)
    }
    #expect(files.flatMap { $0.findings ?? [] }.allSatisfy { $0.kind != "rebound-slot" })
    let images = try report("images", process).files
    #expect(images.filter { $0.isPreloaded == true }.map(\.path) == [hook.path])
  }

  /// Two libraries of one file name: one that is needed by its path, and one by its path or by a name
  /// that only its file has.
  @Test(arguments: [true, false]) func sameFileName(isPath: Bool) throws {
    let fixture = DependencyFixture()
    let paths = ["one", "two"].map { fixture.path("\($0)/libsame.so") }
    try fixture.library("one/libsame.so", soname: paths[0])
    try fixture.library("two/libsame.so", soname: isPath ? paths[1] : "libsame.so")
    try fixture.library("libend.so")
    try fixture.library("libmid.so", needs: [paths[1], "libend.so"])
    if !isPath { try fixture.library("two/libsame.so", soname: "libother.so") }
    try fixture.program(
      "program",
      """
      #include <stdio.h>
      #include <unistd.h>
      __attribute__((constructor)) static void wait(void) { puts("ready"); fflush(stdout); pause(); }
      """, needs: [paths[0], "libmid.so"],
      flags: ["-Wl,--disable-new-dtags,-rpath,\(fixture.directory.url.path):\(fixture.path("two"))"]
    )
    let process = try WaitingProcess(URL(filePath: fixture.path("program")))
    #expect(process.said == "ready\n")
    let images = try report("images", process).files
    #expect(images.filter { paths.contains($0.path) }.map(\.isPreloaded) == [false, false])
    #expect(try report("audit", process).files.isEmpty)
  }

  /// Of a library of `LD_AUDIT`, which is in a namespace of its own.
  @Test func auditingLibrary() throws {
    let auditor = try FixtureBuilder.shared(.gcc, key: ["auditor"]) {
      try $0.buildLibrary("libauditor.so", from: "inspect-auditor.c")
    }.directory
    let path = auditor.url.appending(path: "libauditor.so").resolvingSymlinksInPath().path
    let program = try LookedAtProgram()
    let process = try WaitingProcess(program.url, ["nothing"], environment: ["LD_AUDIT": path])
    let (files, status) = try report("audit", process)
    #expect(status == 1 && files.map(\.path) == [path])
    #expect(files.first?.findings?.map(\.kind) == ["auditing-image"])
    let images = try report("images", process).files
    let image = try #require(images.first { $0.path == path })
    #expect(image.isAuditor == true && image.isPreloaded == false && (image.namespace ?? 0) > 0)
    #expect(images.filter { $0.isAuditor == true }.count == 1 && images.first?.namespace == 0)
    let text = try inspect(["images", "--pid", "\(process.id)"]).output
    #expect(text.contains(" \(image.order ?? 0),auditor same "))
  }

  /// One that a program has put there asks for nothing.
  @Test func namespaceOfItsOwn() throws {
    let process = try LookedAtProgram.loading("apart")
    let result = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output == "" && result.errorOutput == "")
    let images = try report("images", process).files
    let image = try #require(images.first { $0.path.hasSuffix("/libhook.so") })
    #expect(image.namespace == 1 && image.isAuditor == false && image.isPreloaded == false)
    let text = try inspect(["images", "--pid", "\(process.id)"]).output
    #expect(text.contains(" \(image.order ?? 0),namespace1 same "))
  }

  /// Hooks beside slots: in tables of functions, in the kernel's image, and in the loader's own tables.
  @Test(
    arguments: [
      ("table", "program", "rewritten-pointer", "table"),
      ("stdio", "libc.so.6", "rewritten-pointer", "_IO_file_jumps"),
      ("vdso", "[vdso]", "modified-code", "clock_gettime"),
      ("loader", "libc.so.6", "redirected-table", "DT_SYMTAB"),
      ("dynamic", "program", "redirected-table", "DT_SYMTAB"),
    ] as [(String, String, String, String)])
  func hookBesideSlots(how: String, image: String, kind: String, symbol: String) throws {
    let process = try LookedAtProgram().started(how)
    let result = try inspect(["audit", "--pid", "\(process.id)", "--format", "json"])
    #expect(result.status == 1 && result.errorOutput == "")
    let files = try result.report().files
    #expect(files.count == 1 && files.first?.path.hasSuffix(image) == true)
    let findings = files.first?.findings ?? []
    #expect(findings.map(\.kind) == [kind] && findings.map(\.symbol) == [symbol])
    #expect(kind == "modified-code" || findings.first?.target != nil)
  }

  @Test func modifiedCode() throws {
    let process = try LookedAtProgram().started("modified")
    let (files, status) = try report("audit", process)
    #expect(status == 1 && files.count == 1)
    let file = try #require(files.first)
    #expect(file.path.hasSuffix("/libc.so.6"))
    let finding = try #require(file.findings?.first)
    #expect(file.findings?.count == 1)
    #expect(finding.kind == "modified-code" && finding.symbol == "getsid")
    let symbol = try #require(
      try Report(["--name", "getsid", file.path]).files.first?.symbol("getsid"))
    #expect(finding.address == symbol.value)
    let start = try #require(Int(symbol.value.dropFirst(2), radix: 16))
    #expect(finding.end == "0x" + String(start + 3, radix: 16))
  }

  /// The loader writes to code, which is no finding.
  #if arch(x86_64)
  @Test func relocatedCode() throws {
    let flags = ["-mcmodel=large", "-fno-pic", "-pie", "-Wl,-z,notext"]
    let program = try LookedAtProgram(flags: flags)
    let process = try program.started()
    #expect(try run("readelf", ["-d", program.url.path]).output.contains("TEXTREL"))
    let result = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output == "" && result.errorOutput == "")
  }
  #endif

  /// Images that come and go all the time are no findings, though they are never complete.
  @Test(.notInCheck) func loadingForever() throws {
    let process = try LookedAtProgram.loading("forever")
    for _ in 0..<12 {
      let audit = try inspect(["audit", "--pid", "\(process.id)"])
      #expect(audit.output == "")
      let images = try inspect(["images", "--pid", "\(process.id)"])
      #expect(!images.output.contains(" replaced "))
    }
  }

  /// Of an image that was unloaded meanwhile, nothing is known.
  @Test func fileOfAnUnloadedImage() throws {
    let process = try LookedAtProgram.loading("until-signal")
    let scope = try ProcessScope(pid: process.id)
    let image = try #require(
      scope.ordinaryImages.first { $0.image.path.text.hasSuffix("/libhook.so") })
    #expect(scope.fileState(of: image) == .same)
    kill(process.id, SIGUSR1)
    let maps = "/proc/\(process.id)/maps"
    while try String(contentsOfFile: maps, encoding: .utf8).contains("libhook") { usleep(1000) }
    #expect(scope.fileState(of: image) == .unknown)
  }

  /// It is no sign of another file that a page of the image is not there.
  @Test func fileOfAnImageThatCannotBeRead() throws {
    let process = try LookedAtProgram.loading("until-signal", library: "libfar.so")
    let scope = try ProcessScope(pid: process.id)
    let image = try #require(
      scope.ordinaryImages.first { $0.image.path.text.hasSuffix("/libfar.so") })
    #expect(scope.fileState(of: image) == .unknown)
  }

  /// One that waits for a processor stays in the middle of `dlopen` from look to look.
  @Test func loadingSlowly() throws {
    let process = try LookedAtProgram.loading("starved", library: "libslow.so")
    for _ in 0..<6 {
      let audit = try inspect(["audit", "--pid", "\(process.id)"])
      #expect(audit.output == "")
    }
  }

  @Test(arguments: ["audit", "images", "slots"])
  func neverAtRest(_ command: String) throws {
    let process = try LookedAtProgram().started("loading")
    let result = try inspect([command, "--pid", "\(process.id)"])
    #expect(result.status == 2 && result.output.isEmpty == (command == "audit"))
    let message = "its loader was loading or unloading images whenever they were looked at"
    #expect(result.errorOutput == "rebind-inspect: /proc/\(process.id): \(message)\n")
  }

  @Test(arguments: [("open", "open-relro"), ("code", "writable-code")])
  func openPages(_ what: String, _ kind: String) throws {
    let program = try LookedAtProgram()
    let process = try program.started(what)
    let (files, status) = try report("audit", process)
    #expect(status == 1 && files.map(\.path) == [program.url.path])
    let findings = try #require(files.first?.findings)
    #expect(findings.map(\.kind) == [kind])
    let range = try #require(findings.first)
    #expect(range.symbol == nil && range.target == nil)
    let page = sysconf(Int32(_SC_PAGESIZE))
    let start = try #require(range.address.flatMap { Int($0.dropFirst(2), radix: 16) })
    let end = try #require(range.end.flatMap { Int($0.dropFirst(2), radix: 16) })
    #expect(start % page == 0 && end - start == page)
  }

  /// No loader closes the pages of a static program, as of valgrind's.
  @Test func openPagesOfAStaticProgram() throws {
    let fixture = DependencyFixture()
    let path = try fixture.program(
      "alone",
      """
      #include <sys/syscall.h>
      static long call(long number, long a, const char *b, long c) {
      #ifdef __x86_64__
        __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
        return number;
      #else
        register long n __asm__("x8") = number, x __asm__("x0") = a, z __asm__("x2") = c;
        register const char *y __asm__("x1") = b;
        __asm__ volatile("svc 0" : "+r"(x) : "r"(n), "r"(y), "r"(z) : "memory");
        return x;
      #endif
      }
      void *table[1 << 14] __attribute__((section(".data.rel.ro"), used)) = {&table};
      void _start(void) {
        call(SYS_write, 1, "up\\n", 3);
        char byte;
        for (;;) call(SYS_read, 0, &byte, 1);
      }
      """, flags: ["-nostartfiles", "-static", "-fno-stack-protector", "-Wl,-z,relro"])
    #expect(try inspect(["segments", path]).output.contains(" GNU_RELRO "))
    let process = try WaitingProcess(URL(filePath: path))
    let maps = try String(contentsOfFile: "/proc/\(process.id)/maps", encoding: .utf8)
    #expect(process.said == "up\n" && maps.contains("rw-p"))
    #expect(try report("audit", process).files.isEmpty)
  }

  @Test(arguments: [false, true])
  func vanishedFile(_ isReplaced: Bool) throws {
    let program = try LookedAtProgram()
    let process = try program.started()
    try FileManager.default.removeItem(at: program.url)
    if isReplaced { try Data("another".utf8).write(to: program.url) }
    let (files, status) = try report("audit", process)
    #expect(status == 1)
    #expect(files.map(\.path) == [program.url.path + " (deleted)"])
    let kinds = files.first?.findings?.map(\.kind)
    #expect(kinds == [isReplaced ? "replaced-file" : "deleted-file"])
    let image = try #require(try report("images", process).files.first)
    #expect(image.file == (isReplaced ? "replaced" : "deleted"))
  }

  /// Running out of descriptors says nothing of a file.
  @Test func fewDescriptors() throws {
    let process = try LookedAtProgram().started()
    let result = try bash(
      #"for n in $(seq 4 12); do (ulimit -n $n; "$0" audit --pid "$1"); done"#, ["\(process.id)"])
    #expect(!result.output.contains("-file"))
  }

  /// The kernel writes a newline as `\\012`, and notes behind a path that its file is gone.
  @Test(arguments: ["a\nb", "a (deleted)", "a  b "])
  func oddNames(_ name: String) throws {
    let program = try LookedAtProgram()
    let url = program.url.deletingLastPathComponent().appending(path: name)
    try FileManager.default.linkItem(at: program.url, to: url)
    let process = try WaitingProcess(url, ["nothing"])
    let result = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output == "" && result.errorOutput == "")
    #expect(try report("images", process).files.first?.path == url.path)
  }

  /// Of such a process the kernel says where its files are for whoever asks.
  @Test(.enabled(if: getuid() == 0, "needs root for chroot"))
  func anotherRoot() throws {
    let program = try LookedAtProgram(flags: ["-static"])
    let process = try WaitingProcess(
      URL(filePath: "/usr/sbin/chroot"),
      [program.url.deletingLastPathComponent().path, "/program", "nothing"])
    let result = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output == "" && result.errorOutput == "")
    #expect(try report("images", process).files.first?.file == "same")
  }

  @Test func wrongUsage() throws {
    #expect(try inspect(["audit"]).status == 64)
    #expect(try inspect(["audit", "--pid", "-1"]).status == 64)
    #expect(try inspect(["audit", "--pid", "2147483647"]).status == 2)
    #expect(try inspect(["images", "--pid", "2147483647"]).status == 2)
  }
}

/// The output of `images --pid`.
@Suite(.needsCommands, .measured) struct ImagesTests {
  @Test func images() throws {
    let program = try LookedAtProgram()
    let process = try program.started()
    let (files, status) = try report("images", process)
    #expect(status == 0)
    let first = try #require(files.first)
    #expect(first.path == program.url.path && first.order == 0 && first.isPreloaded == false)
    #expect(first.file == "same" && first.soname == nil)
    let notes = try run("readelf", ["-n", program.url.path]).output
    #expect(notes.contains("Build ID: \(first.buildID ?? "none")"))
    let libc = try #require(files.first { $0.soname == "libc.so.6" })
    #expect(libc.path == (try InstalledFile.libc.path) && (libc.order ?? 0) > 0)

    // Where they are is what the kernel says.
    let maps = try run("cat", ["/proc/\(process.id)/maps"]).output
    for file in files {
      let start = try #require(file.start).dropFirst(2)
      let lines = maps.split(separator: "\n").filter { $0.hasSuffix(" \(file.path)") }
      #expect(lines.first?.hasPrefix("\(start)-") == true)
    }
    #expect(Set(files.map(\.path)).count == files.count)

    let text = try inspect(["images", "--pid", "\(process.id)"])
    let lines = text.output.split(separator: "\n")
    #expect(text.succeeded && lines.count == files.count)
    #expect(
      lines.first
        == "\(first.start ?? "") \(first.end ?? "") \(first.loadBias ?? "") 0 same \(first.buildID ?? "-") \(first.path)"
    )
  }
}
