import Foundation
import TestSupport
import Testing

/// Relocations that are packed: Android's, and CREL in object files. The witness is readelf, of the
/// same file with nothing packed: it reads no packed ones.
@Suite(.needsCommands, .measured, .notInCheck) struct PackedRelocationTests {
  enum Packing: String, CaseIterable, Sendable {
    case android
    case androidAndRelative = "android+relr"

    /// The linker's options, for tags that Android's loaders know first.
    var flags: [String] {
      ["--pack-dyn-relocs=\(rawValue)"] + (self == .android ? [] : ["--use-android-relr-tags"])
    }
  }

  @Test(arguments: ReadelfComparisonTests.targets, Packing.allCases)
  func slots(target: String, packing: Packing) throws {
    let built = try PackedFile(target, packing.flags)
    let slots = try #require(try Report("slots", [built.path]).files.first?.slots)
    let plain = try PackedFile(target, [])
    let expected = try readelfSlots(plain.path)
    #expect(slots.count > 35 && Set(slots.map(ReadelfSlot.init)) == expected)
    // Of Android's tables too, an addend in place is found where it is.
    let behind = slots.filter { $0.symbol == "imported_data" && $0.kind == "absolute" }
    #expect(behind.contains { $0.addend == 4 } && behind.contains { $0.addend == -4 })
    // Without section headers the same, but for their names.
    let stripped = try built.write(built.bytes().withoutSectionHeaders())
    let found = try #require(try Report("slots", [stripped]).files.first?.slots)
    #expect(found.map(\.address) == slots.map(\.address))
    let who = try inspect(["who-imports", "imported", stripped])
    #expect(who.succeeded && !who.output.isEmpty)
  }

  @Test(arguments: ReadelfComparisonTests.targets, Packing.allCases)
  func relocations(target: String, packing: Packing) throws {
    let built = try PackedFile(target, packing.flags)
    let tables = try #require(
      try Document<RelocationFile>("relocations", [built.path]).files.first?.relocations)
    let names = Set(tables.map(\.table))
    #expect(names.contains { $0.hasPrefix("DT_ANDROID_REL") })
    #expect(names.contains("DT_ANDROID_RELR") == (packing == .androidAndRelative))
    let plain = try PackedFile(target, [])
    let expected = try readelfRelocations(plain.path)
    let found = tables.flatMap { table in
      table.entries.map { entry in
        // A relative relocation that is packed has its addend in place.
        let isPlain = table.kind == "RELA"
        return ReadelfRelocation(
          address: entry.address, type: entry.type, symbol: entry.symbol,
          addend: isPlain ? entry.addend : nil)
      }
    }
    func comparable(_ entries: [ReadelfRelocation]) -> Set<ReadelfRelocation> {
      Set(
        entries.map {
          var entry = $0
          if entry.symbol == nil, packing == .androidAndRelative { entry.addend = nil }
          return entry
        })
    }
    #expect(found.count == expected.count && found.count > 50)
    #expect(comparable(found) == comparable(expected))
  }

  @Test(arguments: Packing.allCases)
  func why(packing: Packing) throws {
    let built = try PackedFile("x86_64-linux-gnu", packing.flags)
    let plain = try PackedFile("x86_64-linux-gnu", [])
    let result = try inspect(["why", "imported", "--in", built.path])
    #expect(result.output.hasPrefix("has-slots - 16 "))
    #expect(try inspect(["why", "imported", "--in", plain.path]).output == result.output)
  }

  /// Neither glibc nor musl fills slots of packed relocations: they are no hooks, and cannot be rebound.
  @Test func process() throws {
    let built = try FixtureBuilder.shared(.gcc, key: ["packed in a process"]) {
      try $0.buildLibrary(
        "libpacked.so", from: "packed-library.c",
        flags: ["-fuse-ld=lld", "-nostartfiles", "-Wl,--pack-dyn-relocs=android"])
      try $0.buildLibrary("libcaller.so", from: "inspect-caller.c")
      try $0.build(
        "later", from: ["inspect-later.c"], flags: ["-Wl,-rpath,$ORIGIN"],
        libraries: ["-L.", "-lcaller", "-Wl,--allow-shlib-undefined"], withCore: false)
    }
    let folder = built.directory.url.resolvingSymlinksInPath()
    let library = folder.appending(path: "libpacked.so").path
    let process = try WaitingProcess(folder.appending(path: "later"), [library, "none"])
    #expect(process.said == "ready\n")
    #expect(try report("audit", process).files.isEmpty)
    let files = try report("slots", process, ["--name", "getppid"]).files
    let slots = try #require(files.first { $0.path == library }?.slots)
    #expect(slots.count { $0.state == "null" && $0.value == "0x0" } == slots.count - 1)
    #expect(slots.count > 10)
    let why = try inspect(["why", "getppid", "--pid", "\(process.id)", "--in", library])
    #expect(why.output.contains("unchangeable packed \(slots.count - 1) "))
  }

  /// Object files: the same entries as in the plain tables of the same source.
  @Test(arguments: [
    "x86_64-linux-gnu", "i386-linux-gnu", "aarch64_be-linux-gnu", "s390x-linux-gnu",
    "riscv64-linux-gnu", "powerpc-linux-gnu",
  ])
  func compact(target: String) throws {
    let options = ["-Wa,--crel,--allow-experimental-crel"]
    let (packed, plain) = try (PackedFile(object: target, options), PackedFile(object: target, []))
    let tables = try #require(
      try Document<RelocationFile>("relocations", [packed.path]).files.first?.relocations)
    #expect(tables.map(\.table).contains(".crel.data"))
    let expected = try readelfRelocations(plain.path)
    // Those that the i386's plain tables leave in place are in the packed ones.
    let hasAddends = !target.hasPrefix("i386")
    let found = tables.flatMap { table in
      table.entries.map {
        ReadelfRelocation(
          address: $0.address, type: $0.type, symbol: $0.symbol,
          addend: hasAddends ? $0.addend : nil)
      }
    }
    #expect(found.count == expected.count && found.count > 40)
    #expect(Set(found) == Set(expected))
  }

  /// Without addends, which no compiler writes yet: 8 and 24 by offsets that are shifted.
  @Test func compactWithAddendsInPlace() throws {
    let built = try PackedFile(
      object: "x86_64-linux-gnu", ["-Wa,--crel,--allow-experimental-crel"])
    var bytes = try built.bytes()
    let start = try readelfSection(".crel.data", built.path).lowerBound
    bytes.replaceSubrange(start..<start + 5, with: [0x13, 0x07, 0x01, 0x01, 0x08])
    let path = try built.write(bytes)
    let tables = try Document<RelocationFile>("relocations", [path]).files.first?.relocations
    let table = try #require(tables?.first { $0.table == ".crel.data" })
    #expect(table.kind == "REL" && table.entries.map(\.address) == ["0x8", "0x18"])
    #expect(table.entries.allSatisfy { $0.type == "R_X86_64_64" && $0.addend == nil })
  }

  /// No linker writes it yet, and no loader of ours reads it: it is named.
  @Test(arguments: ["slots", "relocations"])
  func compactInTheDynamicTable(subcommand: String) throws {
    let built = try PackedFile("x86_64-linux-gnu", Packing.android.flags)
    var bytes = try built.bytes()
    let tag = withUnsafeBytes(of: UInt64(0x6000_0011).littleEndian) { Data($0) }
    let place = try #require(bytes.range(of: tag))
    withUnsafeBytes(of: UInt64(0x4000_0026).littleEndian) {
      bytes.replaceSubrange(place, with: $0)
    }
    let path = try built.write(bytes)
    let error = try #require(try Report(subcommand, [path]).files.first?.error)
    #expect(error.code == "unsupported" && error.field == "DT_CREL")
    #expect(error.message.contains("DT_CREL"))
  }

  /// A table states its count, and entries may take no byte each.
  @Test(arguments: [
    // Of 2^62 entries, in one group that takes no further byte.
    ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xc0, 0x00, 0x00], "malformed"),
    // Less than nothing; a group that is too large; flags that nobody knows.
    ([0x7f, 0x00], "malformed"), ([0x02, 0x00, 0x03, 0x00], "malformed"),
    ([0x01, 0x00, 0x01, 0x40], "malformed"),
    // A number of more than 64 bits, and one of an entry that is not there.
    ([0x01] + [UInt8](repeating: 0x80, count: 12), "malformed"),
    ([0x01, 0x00, 0x01, 0x0f, 0x00, 0xff], "malformed"),
  ])
  func hostile(numbers: [UInt8], code: String) throws {
    let built = try PackedFile("x86_64-linux-gnu", Packing.android.flags)
    var bytes = try built.bytes()
    let table = try #require(bytes.range(of: Data("APS2".utf8)))
    let rest = table.upperBound..<table.upperBound + 16
    let filled = numbers + [UInt8](repeating: 0xff, count: 16 - numbers.count)
    bytes.replaceSubrange(rest, with: filled)
    let path = try built.write(bytes)
    let error = try Report("slots", [path]).files.first?.error
    #expect(error?.code == code && error?.field == "DT_ANDROID_RELA")
    bytes[table.lowerBound] = 0
    let unmarked = try Report("slots", [built.write(bytes)]).files.first?.error
    #expect(unmarked?.message.contains("does not start with APS2") == true)
  }

  /// The bytes of a packed table, changed: a right answer or an error, and no end of time or memory.
  @Test(arguments: [false, true])
  func damaged(isObject: Bool) throws {
    let built =
      isObject
      ? try PackedFile(object: "x86_64-linux-gnu", ["-Wa,--crel,--allow-experimental-crel"])
      : try PackedFile("x86_64-linux-gnu", Packing.androidAndRelative.flags)
    let bytes = try built.bytes()
    let section = try readelfSection(isObject ? ".crel.data" : ".rela.dyn", built.path)
    var generator = SplitMix64(state: 0x5eed)
    let paths = try bytes.damaged(in: section, times: tries(300), using: &generator).enumerated()
      .map { try built.write($1, as: "damaged-\($0)") }
    let result = try inspectWithLimits(["relocations", "--format", "jsonl"] + paths)
    #expect(!result.wasSignalled && result.status == 2)
    let files = try result.lines()
    #expect(files.map(\.path) == paths && files.contains { $0.error == nil })
  }

  /// llvm-readelf reads Android's tables, where it is installed.
  @Test(
    .inAll,
    .enabled(
      if: FileManager.default.fileExists(atPath: "/usr/bin/llvm-readelf-14"),
      "there is no llvm-readelf"),
    arguments: ReadelfComparisonTests.targets, Packing.allCases)
  func witness(target: String, packing: Packing) throws {
    let built = try PackedFile(target, packing.flags)
    let tables = try #require(
      try Document<RelocationFile>("relocations", [built.path]).files.first?.relocations)
    let expected = try readelfRelocations(built.path, by: "/usr/bin/llvm-readelf-14")
    let found = tables.flatMap { table in
      table.entries.map {
        ReadelfRelocation(address: $0.address, type: $0.type, symbol: $0.symbol, addend: nil)
      }
    }
    // LLVM has no name for the relative relocation of 32-bit PowerPC.
    func places(_ entries: [ReadelfRelocation]) -> [String] {
      entries.map {
        let type = $0.symbol == nil && target.hasPrefix("powerpc") ? "-" : $0.type ?? "-"
        return "\($0.address) \(type) \($0.symbol ?? "-")"
      }.sorted()
    }
    #expect(places(found) == places(expected) && found.count > 50)
  }
}

/// Tests/Fixtures/packed-slots.c, built for a target by the Swift toolchain's clang and lld.
struct PackedFile {
  let directory: TemporaryDirectory
  let path: String

  /// A library, whose sections that are relocated are where they are in each other one.
  init(_ target: String, _ flags: [String]) throws {
    directory = try FixtureBuilder.shared(.clang, key: ["packed", target] + flags) {
      let object = try $0.compile("packed-slots", for: target)
      try $0.link(
        ["-shared", object, "-o", "libpacked.so", "-z", "norelro"] + flags
          + Self.places.map { "--section-start=\($0)=0x\(String($1, radix: 16))" })
    }.directory
    path = directory.url.appending(path: "libpacked.so").path
  }

  /// The object file.
  init(object target: String, _ flags: [String]) throws {
    directory = try FixtureBuilder.shared(.clang, key: ["packed.o", target] + flags) {
      try $0.compile("packed-slots", for: target, flags: flags)
    }.directory
    path = directory.url.appending(path: "packed-slots.o").path
  }

  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  func write(_ bytes: Data, as name: String = "copy") throws -> String {
    let url = directory.url.appending(path: name)
    try bytes.write(to: url)
    return url.path
  }

  private static let places = [
    (".text", 0x80000), (".plt", 0x90000), (".data.rel.ro", 0x10_0000), (".dynamic", 0x11_0000),
    (".got", 0x12_0000), (".data", 0x13_0000), (".bss", 0x13_8000), (".got.plt", 0x14_0000),
    (".got2", 0x15_0000),
  ]
}

/// The output of `relocations` for a file.
private struct RelocationFile: Decodable {
  struct Table: Decodable {
    var table: String
    var kind: String
    var entries: [Entry]
  }

  struct Entry: Decodable {
    var address: String
    var type: String?
    var symbol: String?
    var addend: Int64?
  }

  var relocations: [Table]?
}

private struct ReadelfRelocation: Hashable {
  var address: String
  var type: String?
  var symbol: String?
  var addend: Int64?
}

/// The relocations of a file as a readelf prints them: `Offset Info Type Value Name + Addend`, where
/// a table without addends has none, and an entry without a symbol has `Addend` alone.
private func readelfRelocations(
  _ file: String, by readelf: String = "readelf"
) throws -> [ReadelfRelocation] {
  let result = try run(readelf, ["-rW", file], environment: ["LC_ALL": "C"])
  return result.output.split(separator: "\n").compactMap { line in
    let fields = line.split(separator: " ")
    guard fields.count >= 3, fields[2].hasPrefix("R_"),
      let address = UInt64(fields[0], radix: 16)
    else { return nil }
    // GNU readelf's names for the i386's.
    let type = fields[2] == "R_386_JUMP_SLOT" ? "R_386_JMP_SLOT" : String(fields[2])
    var relocation = ReadelfRelocation(
      address: "0x" + String(address, radix: 16), type: type, symbol: nil, addend: nil)
    if fields.count >= 5 {
      relocation.symbol = fields[4].split(separator: "@").first.map(String.init)
      if fields.count >= 7, let magnitude = Int64(fields[6], radix: 16) {
        relocation.addend = fields[5] == "-" ? -magnitude : magnitude
      }
    } else if fields.count == 4 {
      relocation.addend = Int64(fields[3], radix: 16)
    }
    return relocation
  }
}

/// Where a section is in a file.
private func readelfSection(_ name: String, _ file: String) throws -> Range<Int> {
  for line in try run("readelf", ["-SW", file]).output.split(separator: "\n") {
    // [Nr] Name Type Address Off Size, where an unknown type is of two words.
    guard let end = line.firstIndex(of: "]") else { continue }
    let text = line[end...].dropFirst().replacing(": <unknown>", with: "")
    let fields = text.split(separator: " ")
    if fields.count > 5, fields[0] == name, let start = Int(fields[3], radix: 16),
      let size = Int(fields[4], radix: 16)
    {
      return start..<start + size
    }
  }
  throw SetupFailure(output: "no section \(name)")
}
