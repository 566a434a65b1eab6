import TestSupport

/// The output of `slots` for files.
@Suite(.needsCommands, .measured) struct SlotTests {
  /// Beside those of `InstalledFile`, where most slots are: C++'s library.
  @Test func libraryOfCXX() throws {
    try compareWithReadelf(InstalledFile.libstdcxx())
  }

  @Test(.notInCheck, arguments: InstalledFile.allCases)
  func installedFile(_ file: InstalledFile) throws {
    try compareWithReadelf(file.path)
  }

  @Test(arguments: ReadelfComparisonTests.targets)
  func target(_ target: String) throws {
    let built = try SlotFile(target: target)
    let slots = try compareWithReadelf(built.path)
    let kinds = Set(slots.filter { $0.symbol == "imported" }.map(\.kind))
    // RISC-V does not tell what code loads from and data apart, and 32-bit PowerPC loads from data.
    let hasGlobDat = !["riscv", "powerpc-"].contains { target.hasPrefix($0) }
    #expect(kinds == Set(["jumpSlot", "absolute"] + (hasGlobDat ? ["globDat"] : [])))
    // Of a REL entry it is the word in place.
    #expect(
      slots.contains { $0.symbol == "imported_data" && $0.kind == "absolute" && $0.addend == 4 })
    let isInPlace = target.hasPrefix("i386") || target.hasPrefix("arm")
    for slot in slots where slot.kind != "absolute" {
      #expect(slot.addend == (isInPlace ? nil : 0))
      #expect(slot.binding == (slot.kind == "jumpSlot" ? "lazy" : "now"))
    }

    // Without section headers the same, but for their names.
    let stripped = try built.write(built.bytes().withoutSectionHeaders())
    let found = try #require(try Report("slots", [stripped]).files.first?.slots)
    #expect(
      found
        == slots.map {
          var slot = $0
          slot.section = nil
          return slot
        })
  }

  @Test(arguments: [
    ["-z", "now"], ["-z", "lazy"], ["-z", "norelro"], ["-z", "lazy", "-z", "norelro"],
  ])
  func whatItTakes(_ flags: [String]) throws {
    let built = try SlotFile(flags: flags)
    let slots = try #require(try Report("slots", [built.path]).files.first?.slots)
    let isLazy = !flags.contains("now")
    let hasRelro = !flags.contains("norelro")
    for slot in slots {
      #expect(slot.binding == (slot.kind == "jumpSlot" && isLazy ? "lazy" : "now"))
      #expect(slot.needs == (slot.relro ? "mprotect" : "store"))
      switch slot.section {
      case ".got", ".data.rel.ro": #expect(slot.relro == hasRelro)
      case ".got.plt": #expect(slot.relro == (hasRelro && !isLazy))
      case ".data": #expect(!slot.relro)
      default: Issue.record("\(slot)")
      }
    }
    #expect(Set(slots.map(\.section)).count == 4)
  }

  /// MIPS has slots without relocations, which `readelf -A` shows too.
  @Test(arguments: ["mips-linux-gnu", "mips64el-linux-gnuabi64"])
  func globalOffsets(target: String) throws {
    let fixture = DependencyFixture()
    let source = "extern int a(void), b; int *p = &b; int f(void) { return a() + b; }"
    let path = try fixture.foreign(
      "libmips.so", target: target, source: source, flags: ["-shared", "--allow-shlib-undefined"])
    let lines = try run("readelf", ["-AW", path]).output.components(separatedBy: "Global entries:")
    let expected = try #require(lines.last).split(separator: "\n").compactMap { line -> String? in
      let cells = line.split(separator: " ")
      guard cells.count > 6, let address = UInt64(cells[0], radix: 16) else { return nil }
      return "0x\(String(address, radix: 16)) \(cells[6])"
    }
    let slots = try #require(try Report("slots", [path]).files.first?.slots)
    let found = slots.filter { $0.kind == "globDat" }
    #expect(found.map { "\($0.address) \($0.symbol)" } == expected && expected.count >= 2)
    #expect(found.allSatisfy { $0.section == ".got" && $0.relocation == "R_MIPS_GLOB_DAT" })
    #expect(Set(slots.filter { $0.kind == "absolute" }.map(\.symbol)) == ["b"])
    let why = try inspect(["why", "a", "--in", path]).output
    #expect(why.hasPrefix("has-slots "))
    // DT_MIPS_GOTSYM behind the symbols.
    var bytes = try Data(contentsOf: URL(filePath: path))
    let isLittle = target.contains("el-")
    let size = isLittle ? 8 : 4
    let tag = Data([0x70, 0, 0, 0x13])
    let place = try #require(
      bytes.range(of: isLittle ? Data(tag.reversed()) + Data(count: 4) : tag))
    bytes[place.lowerBound + size + (isLittle ? 0 : 3)] = 0xff
    let broken = try fixture.write("broken.so", bytes)
    let error = try Report("slots", [broken]).files.first?.error
    #expect(error?.code == "malformed" && error?.field == "DT_MIPS_GOTSYM")
  }

  /// No slots are known of IA-64 and PA-RISC, which is not the same as none.
  @Test(arguments: [UInt8(50), 15])
  func unknownMachines(machine: UInt8) throws {
    let built = try SlotFile()
    var bytes = try built.bytes()
    bytes[18] = machine
    let path = try built.write(bytes)
    let result = try inspect(["slots", path])
    #expect(!result.succeeded && result.output.isEmpty)
    #expect(result.errorOutput.hasSuffix(": the file is for a machine whose slots are not known\n"))
    #expect(try Report("slots", [path]).files.first?.error?.code == "unsupported")
  }

  @Test func selection() throws {
    let built = try SlotFile()
    func slots(_ arguments: String...) throws -> [Slot] {
      try #require(try Report("slots", arguments + [built.path]).files.first?.slots)
    }
    let all = try slots()
    #expect(try slots("--kind", "absolute") == all.filter { $0.kind == "absolute" })
    #expect(
      try slots("--kind", "globDat", "--kind", "jumpSlot") == all.filter { $0.kind != "absolute" })
    #expect(try slots("--name", "imported") == all.filter { $0.symbol == "imported" })
    #expect(try slots("--name", "*_data") == all.filter { $0.symbol == "imported_data" })
    #expect(try slots("--name", "/^imported$|nothing/") == all.filter { $0.symbol == "imported" })
    #expect(try slots("--name", "nothing", "--name", "imp[o]rted*") == all)
    #expect(try slots("--name", "import").isEmpty)
    #expect(try inspect(["slots", "--name", "/(/", built.path]).status == 64)
  }

  @Test func text() throws {
    let built = try SlotFile(flags: ["-z", "now"])
    let result = try inspect(["slots", "--name", "imported_data", "--kind", "absolute", built.path])
    let slot = try #require(
      try Report("slots", ["--name", "imported_data", "--kind", "absolute", built.path])
        .files.first?.slots?.first)
    #expect(
      result.output
        == "\(slot.address) R_X86_64_64 absolute .data now - store 0x4 0x4 imported_data\n")
  }

  /// The floor that the speed is measured by prints the same.
  @Test func floor() throws {
    let scratch = try TemporaryDirectory()
    let source = Places.package.appending(path: "Benchmarks/slots-floor.c").path
    let floor = scratch.url.appending(path: "floor").path
    try compile(
      .gcc, ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", source, "-o", "floor"],
      in: scratch.url)
    for file in InstalledFile.allCases {
      let expected = try run(floor, [try file.path])
      #expect(expected.succeeded && !expected.output.isEmpty)
      #expect(
        try inspect(["slots", file.path]).standardOutput == expected.standardOutput, "\(file)")
    }
  }

  @discardableResult
  private func compareWithReadelf(_ path: String) throws -> [Slot] {
    let file = try #require(try Report("slots", [path]).files.first)
    let slots = try #require(file.slots, "\(file.error?.message ?? "")")
    let found = Set(slots.map(ReadelfSlot.init))
    let expected = try readelfSlots(path)
    #expect(!expected.isEmpty && found.count == slots.count)
    #expect(found.subtracting(expected) == [] && expected.subtracting(found) == [])
    return slots
  }
}

/// Tests/Fixtures/inspect-slots.c, built for a target by the Swift toolchain's clang and lld.
private struct SlotFile {
  let directory: TemporaryDirectory
  var path: String { directory.url.appending(path: "libslots.so").path }

  init(target: String = "x86_64-linux-gnu", flags: [String] = ["-z", "lazy"]) throws {
    directory = try FixtureBuilder.shared(.clang, key: ["slots", target] + flags) {
      let object = try $0.compile("inspect-slots", for: target)
      try $0.link(["-shared", object, "-o", "libslots.so"] + flags)
    }.directory
  }

  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  func write(_ bytes: Data, as name: String = "copy") throws -> String {
    let url = directory.url.appending(path: name)
    try bytes.write(to: url)
    return url.path
  }
}

/// The output of `readelf -r` for a slot.
struct ReadelfSlot: Hashable {
  var address: UInt64
  var relocation: String
  var symbol: String
  var version: String?
  /// Nil too where it is in place, which readelf does not show.
  var addend: Int64?
}

extension ReadelfSlot {
  init(_ slot: Slot) {
    address = UInt64(slot.address.dropFirst(2), radix: 16) ?? 0
    relocation = slot.relocation
    symbol = slot.symbol
    version = slot.version
    let isInPlace = ["R_386_", "R_ARM_"].contains { slot.relocation.hasPrefix($0) }
    addend = isInPlace ? nil : slot.addend
  }
}

/// The slots of a file as `readelf -rW` prints them: the independent witness.
///
/// A line is `Offset Info Type Value Name + Addend`, where a table without addends has none.
func readelfSlots(_ file: String) throws -> Set<ReadelfSlot> {
  let types: Set = [
    "R_X86_64_JUMP_SLOT", "R_X86_64_GLOB_DAT", "R_X86_64_64", "R_386_JUMP_SLOT", "R_386_GLOB_DAT",
    "R_386_32", "R_AARCH64_JUMP_SLOT", "R_AARCH64_GLOB_DAT", "R_AARCH64_ABS64", "R_ARM_JUMP_SLOT",
    "R_ARM_GLOB_DAT", "R_ARM_ABS32", "R_PPC_JMP_SLOT", "R_PPC_GLOB_DAT", "R_PPC_ADDR32",
    "R_390_JMP_SLOT", "R_390_GLOB_DAT", "R_390_64", "R_RISCV_JUMP_SLOT", "R_RISCV_64",
  ]
  let result = try run("readelf", ["-rW", file], environment: ["LC_ALL": "C"])
  var slots: Set<ReadelfSlot> = []
  for line in result.output.split(separator: "\n") {
    let fields = line.split(separator: " ")
    guard fields.count >= 5, types.contains(String(fields[2])),
      let address = UInt64(fields[0], radix: 16)
    else { continue }
    let name = fields[4].split(separator: "@", omittingEmptySubsequences: true)
    var addend: Int64?
    if fields.count >= 7, let magnitude = Int64(fields[6], radix: 16) {
      addend = fields[5] == "-" ? -magnitude : magnitude
    }
    let type = fields[2] == "R_386_JUMP_SLOT" ? "R_386_JMP_SLOT" : String(fields[2])
    slots.insert(
      ReadelfSlot(
        address: address, relocation: type, symbol: String(name[0]),
        version: name.count > 1 ? String(name[1]) : nil, addend: addend))
  }
  return slots
}
