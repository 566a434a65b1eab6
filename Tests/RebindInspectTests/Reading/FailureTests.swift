import TestSupport

/// Files that cannot be read: a line and an error object for each, and the others are printed.
@Suite(.needsCommands, .measured) struct FailureTests {
  let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
  }

  enum Odd: String, CaseIterable {
    case missing, belowAFile, notELF, empty, magicAlone, header, cut, fifo, device
    case badClass, sparse

    var code: String {
      switch self {
      case .missing, .belowAFile: "not-found"
      case .notELF: "not-elf"
      case .empty: "empty"
      case .magicAlone, .header, .cut: "truncated"
      case .fifo, .device: "not-regular-file"
      case .badClass: "malformed"
      case .sparse: "too-large"
      }
    }
  }

  @Test(arguments: Odd.allCases)
  func odd(_ odd: Odd) throws {
    let good = try InstalledFile.libc.path
    let path = try make(odd)

    let text = try inspect([path, good])
    #expect(text.status == 2 && !text.wasSignalled)
    #expect(text.errorOutput.hasPrefix("rebind-inspect: \(path): "))
    #expect(text.errorOutput.split(separator: "\n").count == 1)
    #expect(text.output == "\(good):\n" + (try inspect([good]).output))

    let json = try inspect(["--format", "json", path, good])
    #expect(json.status == 2)
    let report = try json.report()
    #expect(report.files.map(\.path) == [path, good])
    #expect(report.files[0].error?.code == odd.code)
    #expect(report.files[0].symbols == nil)
    #expect(report.files[1].symbols?.isEmpty == false)
    let message = try #require(report.files[0].error?.message)
    #expect(text.errorOutput == "rebind-inspect: \(path): \(message)\n")
  }

  /// A core file has nothing that these are about, which is no answer.
  @Test(arguments: [
    ["tree"], ["symbols"], ["symbols", "--resolve"], ["slots"], ["hardening"],
    ["why", "malloc", "--in"],
  ])
  func coreFiles(command: [String]) throws {
    let fixture = DependencyFixture()
    let core = try fixture.core("core", of: try InstalledFile.libc.path)
    let result = try inspect(command + [core])
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(
      result.errorOutput
        == "rebind-inspect: \(core): unsupported: the file is a core file, no image\n")
    #expect(try inspect(["segments", core]).succeeded)
  }

  /// A line on standard error says why the table is empty, in the formats that do not say so.
  @Test(arguments: [
    (["slots"], "no dynamic table, and so no slots"), (["dynamic"], "no dynamic table"),
    (["symbols"], "no dynamic table, and so no symbols to bind by; --all shows those of linkers"),
    (["sections"], "no section headers"),
  ])
  func nothingToShow(command: [String], line: String) throws {
    let fixture = DependencyFixture()
    let program = try fixture.program("program", flags: ["-static"])
    if command == ["sections"] {
      // e_shoff, and e_shnum with e_shstrndx.
      var bytes = try Data(contentsOf: URL(filePath: program))
      bytes.replaceSubrange(40..<48, with: Data(count: 8))
      bytes.replaceSubrange(60..<64, with: Data(count: 4))
      try bytes.write(to: URL(filePath: program))
    }
    let result = try inspect(command + [program])
    let told = "rebind-inspect: \(program): \(line)"
    #expect(result.succeeded && result.output.isEmpty && result.errorOutput == told + "\n")
    #expect(try inspectOnTerminal(command + [program]).output == told + "\r\n")
    #expect(try inspect(command + ["--format", "csv", program]).errorOutput == told + "\n")
    #expect(try inspect(command + ["--format", "json", program]).errorOutput.isEmpty)
  }

  /// Section 0 is the null section, whatever its type says.
  @Test func aDamagedNullSection() throws {
    let fixture = DependencyFixture()
    let program = try fixture.program("program")
    var bytes = try Data(contentsOf: URL(filePath: program))
    let header = bytes.withUnsafeBytes {
      Int($0.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
    }
    let before = try inspect(["sections", program]).output
    bytes[header + 4] = 1
    bytes[header + 7] = 1
    try bytes.write(to: URL(filePath: program))
    #expect(try inspect(["sections", program]).output == before)
  }

  /// Files that have no dynamic symbols, and that is no error.
  @Test func noDynamicSymbols() throws {
    let source = Places.fixture("inspect-provider.c").path
    let object = scratch.url.appending(path: "object.o").path
    let whole = scratch.url.appending(path: "whole.so").path
    let debug = scratch.url.appending(path: "debug").path
    #expect(try run("clang", ["-g", "-c", source, "-o", object]).succeeded)
    #expect(try run("ld.lld", ["-shared", object, "-o", whole]).succeeded)
    #expect(try run("objcopy", ["--only-keep-debug", whole, debug]).succeeded)
    for path in [object, debug] {
      let result = try inspect([path])
      #expect(result.succeeded && result.output.isEmpty)
      #expect(result.errorOutput.hasPrefix("rebind-inspect: \(path): no dynamic table"))
      let file = try #require(try Report([path]).files.first)
      #expect(file.symbols == [] && file.symbolSource == nil)
    }
  }

  @Test func wrongUsage() throws {
    for arguments in [[], ["--format", "xml", "/dev/null"], ["symbols", "--nonsense", "a"]] {
      #expect(try inspect(arguments).status == 64)
    }
  }

  private func make(_ odd: Odd) throws -> String {
    let path = scratch.url.appending(path: odd.rawValue).path
    let libc = try Data(contentsOf: URL(filePath: InstalledFile.libc.path))
    func write(_ bytes: Data) throws -> String {
      try bytes.write(to: URL(filePath: path))
      return path
    }
    switch odd {
    case .missing: return path
    case .belowAFile: return "/etc/passwd/file"
    case .notELF: return try write(Data("#!/bin/sh\n".utf8))
    case .empty: return try write(Data())
    case .magicAlone: return try write(libc.prefix(4))
    case .header: return try write(libc.prefix(63))
    case .cut: return try write(libc.dropLast())
    case .fifo:
      #expect(try run("mkfifo", [path]).succeeded)
      return path
    case .device: return "/dev/zero"
    case .badClass:
      var copy = libc
      copy[4] = 7
      return try write(copy)
    case .sparse:
      // One segment, PT_DYNAMIC, as large as the file, which is a hole.
      var copy = libc.prefix(64).withoutSectionHeaders()
      copy.resetBytes(in: 0x38..<0x3a)
      copy[0x38] = 1
      copy.append(contentsOf: [2, 0, 0, 0, 4, 0, 0, 0])
      for number: UInt64 in [0, 0, 0, 1 << 40, 1 << 40, 8] {
        withUnsafeBytes(of: number) { copy.append(contentsOf: $0) }
      }
      _ = try write(copy)
      #expect(try run("truncate", ["-s", "1T", path]).succeeded)
      return path
    }
  }
}
