@testable import ELFInspection
import Foundation
import Rebind
import TestSupport
import Testing

/// `--root`: programs of other machines, whose folders stand below one of ours.
@Suite(.needsCommands, .measured, .notInCheck) struct SysrootTests {
  let fixture = DependencyFixture()
  private var root: String { fixture.path("root") }

  /// A loader whose strings say where it looks, as glibc's.
  private func makeLoader(
    _ path: String, target: String, folders: [String], others: [String] = []
  ) throws {
    let strings = (folders.map { "\($0)/\\0" } + others.map { "x\\0\($0)\\0" }).joined()
    try fixture.foreign(
      "root\(path)", target: target,
      source:
        "const char folders[] = \"x\\0\(strings)\"; const char cache[] = \"/etc/ld.so.cache\";",
      flags: ["-shared", "-soname", String(path.split(separator: "/").last!)])
  }

  private func makeProgram(
    target: String, loader: String, needs: [String], flags: [String] = []
  ) throws -> String {
    for name in needs where !name.contains("/") {
      try fixture.foreign("link/\(name)", target: target, flags: ["-shared", "-soname", name])
    }
    return try fixture.foreign(
      "root/bin/program", target: target, source: "void _start(void) {}",
      flags: ["-pie", "-dynamic-linker", loader, "--no-as-needed"] + flags
        + needs.map { "link/\($0)" })
  }

  @Test func foldersAreTheLoadersOwn() throws {
    let target = "aarch64-linux-gnu"
    try makeLoader(
      "/lib/ld-linux-aarch64.so.1", target: target, folders: ["/lib/special", "/usr/lib/special"])
    let program = try makeProgram(
      target: target, loader: "/lib/ld-linux-aarch64.so.1", needs: ["liba.so", "libb.so"],
      flags: ["-rpath", "/opt/$LIB"])
    // Links that are absolute lead below the root.
    try fixture.foreign("root/real/liba.so", target: target, flags: ["-shared"])
    try fixture.write("root/usr/lib/file", Data())
    try fixture.link("root/usr/lib/special", to: "/real")
    try fixture.foreign("root/opt/lib/special/libb.so", target: target, flags: ["-shared"])
    let tree = try Tree(["--root", root, program])
    #expect(tree.isComplete && tree.loader == "glibc")
    let liba = try #require(tree.image("liba.so"))
    #expect(liba.path.hasSuffix("/root/usr/lib/special/liba.so"))
    #expect(liba.reason == "default" && liba.reasonEntry == "/usr/lib/special")
    let libb = try #require(tree.image("libb.so"))
    #expect(libb.reason == "runpath" && libb.reasonEntry == "/opt/$LIB")
    // Without it nothing is found here.
    #expect(try !Tree([program]).isComplete)
  }

  /// A loader that has no names for processors takes the kernel's.
  @Test(arguments: [false, true]) func platform(hasNames: Bool) throws {
    let (target, loader) = ("x86_64-linux-gnu", "/lib64/ld-linux-x86-64.so.2")
    try makeLoader(
      loader, target: target, folders: ["/lib/a"], others: hasNames ? ["haswell"] : [])
    for name in ["x86_64", "haswell", "xeon_phi"] {
      try fixture.foreign("root/opt/\(name)/liba.so", target: target, flags: ["-shared"])
    }
    let program = try makeProgram(
      target: target, loader: loader, needs: ["liba.so"], flags: ["-rpath", "/opt/$PLATFORM"])
    let path = try #require(try Tree(["--root", root, program]).image("liba.so")?.path)
    let name = hasNames ? LoaderProcessor.platform(for: .amd64) : nil
    #expect(path.hasSuffix("/opt/\(name ?? "x86_64")/liba.so"))
  }

  @Test(arguments: [("x86_64-linux-gnu", true), ("s390x-linux-gnu", false)], [false, true])
  func cache(machine: (target: String, isLittle: Bool), hasOldFormat: Bool) throws {
    let loader = "/lib/ld-test.so.1"
    try makeLoader(loader, target: machine.target, folders: ["/lib/a", "/lib/b"])
    let program = try makeProgram(
      target: machine.target, loader: loader, needs: ["liba.so", "libb.so"])
    try fixture.foreign("root/opt/liba.so", target: machine.target, flags: ["-shared"])
    try fixture.foreign("root/opt/other/libb.so", target: "i386-linux-gnu", flags: ["-shared"])
    try fixture.foreign("root/opt/libb.so", target: machine.target, flags: ["-shared"])
    try fixture.write(
      "root/etc/ld.so.cache",
      cacheFile(
        [
          ("libb.so", "/opt/other/libb.so", nil), ("libb.so", "/opt/libb.so", nil),
          ("liba.so", "/opt/liba.so", nil), ("liba.so", "/opt/absent/liba.so", 0),
        ], hardware: ["unknown"], isLittle: machine.isLittle, hasOldFormat: hasOldFormat))
    let tree = try Tree(["--root", root, program])
    #expect(tree.isComplete)
    for name in ["liba.so", "libb.so"] {
      #expect(tree.image(name)?.reason == "cache")
      #expect(tree.image(name)?.path.hasSuffix("/root/opt/\(name)") == true)
    }
    // A cache that is cut or wrong is none, and no harm.
    let cut = try bash(
      #"""
      cd "$1/etc" && mv ld.so.cache whole
      for length in $(seq 0 "$3" $(($(wc -c < whole) - 1))); do
        head -c $length whole > ld.so.cache
        "$0" tree --root "$1" "$2" > /dev/null 2>&1
        echo $?
      done
      """#, [root, program, isQuick ? "29" : "7"])
    let statuses = cut.output.split(separator: "\n")
    #expect(statuses.count > tries(30) && statuses.allSatisfy { ["0", "1", "2"].contains($0) })
  }

  /// musl: the environment first, `DT_RUNPATH` of all that lead there, a list of folders, and the
  /// loader in place of the C library.
  @Test func musl() throws {
    let target = "x86_64-linux-musl"
    let loader = "/lib/ld-musl-x86_64.so.1"
    try makeLoader(loader, target: target, folders: [])
    let program = try makeProgram(
      target: target, loader: loader,
      needs: ["libc.so", "libc.musl-x86_64.so.1", "liba.so", "libz.so"],
      flags: ["-rpath", "/opt/lib"])
    try fixture.foreign("link/libb.so", target: target, flags: ["-shared", "-soname", "libb.so"])
    try fixture.foreign(
      "root/opt/lib/liba.so", target: target,
      flags: ["-shared", "--no-as-needed", "link/libb.so"])
    try fixture.foreign("root/opt/lib/libb.so", target: target, flags: ["-shared"])
    try fixture.foreign("root/extra/libz.so", target: target, flags: ["-shared"])
    try fixture.write("root/etc/ld-musl-x86_64.path", Data("/lib\n/extra\n".utf8))
    let tree = try Tree(["--root", root, program])
    #expect(tree.loader == "musl" && tree.isComplete)
    #expect(tree.scope.map { $0.reason ?? "" } == ["", "loader", "runpath", "default", "runpath"])
    #expect(tree.scope.map(\.loadedBy) == [nil, 0, 0, 0, 2])
    #expect(tree.scope[4].reasonOf == 0)
  }

  /// In a folder that the loader trusts, `$ORIGIN` counts for a program with others' rights.
  @Test(arguments: [
    ("/lib/special", "$ORIGIN", true), ("/lib/special/bin", "$ORIGIN/../lib", true),
    ("/lib/special/bin", "$ORIGIN/../../lib", false), ("/lib/specials", "$ORIGIN", false),
    ("/bin", "$ORIGIN/../lib/special/lib", true),
  ])
  func trustedFolders(folder: String, path: String, counts: Bool) throws {
    let (target, loader) = ("aarch64-linux-gnu", "/lib/ld-linux-aarch64.so.1")
    try makeLoader(loader, target: target, folders: ["/lib/special", "/usr/lib"])
    let built = try makeProgram(
      target: target, loader: loader, needs: ["liba.so"], flags: ["-rpath", path])
    let program = try fixture.write(
      "root\(folder)/program", Data(contentsOf: URL(filePath: built)))
    let place = folder + path.replacing("$ORIGIN", with: "")
    try fixture.foreign("root\(place)/liba.so", target: target, flags: ["-shared"])
    #expect(try Tree(["--root", root, program]).isComplete)
    try FileManager.default.setAttributes([.posixPermissions: 0o4755], ofItemAtPath: program)
    #expect(
      try Tree(["--root", root, program]).image("liba.so")?.reason == (counts ? "runpath" : nil))
  }

  /// In programs with others' rights, musl drops a search path with `$ORIGIN`, and keeps needed
  /// paths.
  @Test func muslAndOthersRights() throws {
    let (target, loader) = ("x86_64-linux-musl", "/lib/ld-musl-x86_64.so.1")
    try makeLoader(loader, target: target, folders: [])
    let program = try makeProgram(
      target: target, loader: loader, needs: ["libc.so", "liba.so"],
      flags: ["-rpath", "/opt/lib:$ORIGIN"])
    try fixture.foreign("root/opt/lib/liba.so", target: target, flags: ["-shared"])
    #expect(try Tree(["--root", root, program]).isComplete)
    try FileManager.default.setAttributes([.posixPermissions: 0o4755], ofItemAtPath: program)
    #expect(try Tree(["--root", root, program]).missing.map(\.name) == ["liba.so"])
    // Without a word in it, it counts.
    let plain = try makeProgram(
      target: target, loader: loader, needs: ["libc.so", "liba.so"], flags: ["-rpath", "/opt/lib"])
    try FileManager.default.setAttributes([.posixPermissions: 0o4755], ofItemAtPath: plain)
    #expect(try Tree(["--root", root, plain]).isComplete)
  }

  /// Libraries in such folders are in the cache with bits, which the loader's own strings tell of.
  @Test(arguments: [true, false]) func legacyCache(isOld: Bool) throws {
    let (target, loader) = ("x86_64-linux-gnu", "/lib/ld-test.so.1")
    try makeLoader(loader, target: target, folders: ["/lib/a"], others: isOld ? ["tls"] : [])
    let program = try makeProgram(target: target, loader: loader, needs: ["liba.so"])
    let names = ["i686", "tls/x86_64", "plain"]
    for name in names {
      try fixture.foreign("root/opt/\(name)/liba.so", target: target, flags: ["-shared"])
    }
    // The bits of i686, of both `tls` and x86_64, and none.
    let bits: [UInt64] = [1 << 49, 1 << 63 | 1 << 1, 0]
    try fixture.write(
      "root/etc/ld.so.cache",
      cacheFile(
        zip(names, bits).map { ("liba.so", "/opt/\($0)/liba.so", nil, $1) }, hardware: [],
        isLittle: true, hasOldFormat: false))
    let liba = try #require(try Tree(["--root", root, program]).image("liba.so"))
    #expect(liba.path.hasSuffix("/opt/\(names[isOld ? 1 : 2])/liba.so"))
  }

  /// The file that `ldconfig` writes.
  private func cacheFile(
    _ entries: [(name: String, path: String, hardware: Int?)], hardware: [String], isLittle: Bool,
    hasOldFormat: Bool
  ) -> Data {
    cacheFile(
      entries.map { ($0.name, $0.path, $0.hardware, 0) }, hardware: hardware, isLittle: isLittle,
      hasOldFormat: hasOldFormat)
  }

  /// - Parameter entries: Each with the index of its level, or else the bits of older loaders.
  private func cacheFile(
    _ entries: [(name: String, path: String, hardware: Int?, bits: UInt64)], hardware: [String],
    isLittle: Bool, hasOldFormat: Bool
  ) -> Data {
    var strings = Data()
    func number(_ value: Int) -> Data {
      withUnsafeBytes(of: isLittle ? UInt32(value).littleEndian : UInt32(value).bigEndian) {
        Data($0)
      }
    }
    let stringsStart = 48 + 24 * entries.count
    func place(_ text: String) -> Int {
      defer { strings += Data(text.utf8) + [0] }
      return stringsStart + strings.count
    }
    var body = Data()
    for entry in entries {
      body += number(1) + number(place(entry.name)) + number(place(entry.path)) + number(0)
      let halves =
        entry.hardware.map { [$0, 1 << 30] }
        ?? [Int(entry.bits & 0xffff_ffff), Int(entry.bits >> 32)]
      for half in isLittle ? halves : halves.reversed() { body += number(half) }
    }
    let names = hardware.map { place($0) }
    while strings.count % 4 != 0 { strings.append(0) }
    let extensions = stringsStart + strings.count
    var tail = number(0xEAA4_2174) + number(1) + number(1) + number(0)
    tail += number(extensions + 24) + number(4 * names.count)
    for name in names { tail += number(name) }
    var header = Data("glibc-ld.so.cache1.1".utf8) + number(entries.count) + number(strings.count)
    header += [isLittle ? 2 : 3, 0, 0, 0]
    header += number(extensions) + Data(count: 12)
    let new = header + body + strings + tail
    let old = Data("ld.so-1.7.0\0".utf8) + number(1) + Data(count: 12 + 4)
    return hasOldFormat ? old + new : new
  }
}
