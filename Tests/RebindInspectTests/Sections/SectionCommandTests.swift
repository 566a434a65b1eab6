import TestSupport

/// The output of `section`.
@Suite(.needsCommands, .measured) struct SectionCommandTests {
  @Test(arguments: LinkMode.all)
  func pointers(_ mode: LinkMode) throws {
    let built = try AnnotatedFile(mode)
    let result = try inspect(["section", "names", "--as", "pointers", built.path])
    try #require(result.succeeded)
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
    try #require(lines.count == 5)
    #expect(lines[0].count == 3 && lines[0][2] == "first name")
    #expect(lines[1].count == 3 && lines[1][2] == "second")
    #expect(lines[4].count == 2 && lines[4][1] == "0x0")
  }

  @Test func pointersToOtherImages() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared), flags: ["-DWITH_UNDEFINED"])
    let file = try #require(
      try Report("section", ["names", "--as", "pointers", built.path]).files.first)
    let pointers = try #require(file.pointers)
    #expect(pointers.map(\.string) == ["first name", "second", nil, nil, nil])
    #expect(pointers.map(\.symbol) == [nil, nil, nil, "imported", nil])
    #expect(pointers.map { $0.value == nil } == [false, false, false, true, false])
    #expect(file.section?.source == "section-header" && file.section?.flags == "WAR")
    #expect(pointers.first?.address == file.section?.address)
    let exported = try readelfSymbols(built.path).first { $0.name == "exported" }
    #expect(exported != nil && pointers[2].value == exported?.value)
    let text = try inspect(["section", "names", "--as", "pointers", built.path])
    #expect(text.output.contains(" ? imported\n"))
  }

  /// No pointer of an object file is known, and each says so.
  @Test func pointersOfAnObjectFile() throws {
    let built = try AnnotatedFile(object: .gcc)
    let pointers = try Report("section", ["names", "--as", "pointers", built.path]).files[0]
      .pointers
    #expect(pointers?.map { $0.value == nil } == [true, true, true, true, false])
  }

  /// readelf is the witness.
  @Test func strings() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program), flags: ["-g"])
    for name in [".comment", ".debug_str"] {
      let file = try #require(
        try Report("section", [name, "--as", "strings", built.path]).files.first)
      let readelf = try run("readelf", ["-p", name, built.path]).output.split(separator: "\n")
      // `[offset]  string`
      let expected = readelf.compactMap { line -> File.FoundString? in
        guard let end = line.firstIndex(of: "]"), line.hasPrefix("  [") else { return nil }
        let offset = line[..<end].dropFirst(3).trimmingCharacters(in: .whitespaces)
        return File.FoundString(
          offset: "0x\(offset)", string: String(line[end...].dropFirst(3)))
      }
      #expect(!expected.isEmpty && file.strings == expected)
    }
  }

  @Test func compressed() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program), flags: ["-g", "-gz=zlib"])
    let result = try inspect(["section", ".debug_str", "--as", "strings", built.path])
    #expect(result.succeeded && result.output.contains(" rebind_accessor\n"))
    let section = try Report("section", [".debug_str", built.path]).files[0].section
    #expect(section?.flags.contains("C") == true)
    #expect((section?.contentSize ?? 0) > (section?.size ?? 0))
  }

  /// readelf -x has the same bytes, and raw is what objcopy writes.
  @Test func hexAndRaw() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program))
    for name in [".rodata", ".comment", ".text"] {
      let lines = try inspect(["section", name, built.path]).output.split(separator: "\n")
      let readelf = try run("readelf", ["-x", name, built.path]).output.split(separator: "\n")
      func bytes(_ line: Substring) -> String {
        line.drop { $0 == " " }.drop { $0 != " " }.dropFirst().prefix(35)
          .trimmingCharacters(in: .whitespaces)
      }
      #expect(lines.map(bytes) == readelf.filter { $0.hasPrefix("  0x") }.map(bytes))

      let dump = built.directory.url.appending(path: "dump")
      #expect(
        try run(
          "llvm-objcopy", ["--dump-section=\(name)=\(dump.path)", built.path, "/dev/null"]
        ).succeeded)
      let expected = try Data(contentsOf: dump)
      let raw = try inspect(["section", name, "--as", "raw", built.path])
      #expect(raw.succeeded && raw.standardOutput == expected)
      #expect(try Report("section", [name, built.path]).files[0].base64 == expected)
    }
  }

  /// A section that no memory has to hold: cmp, head and tail are the witnesses.
  @Test(.notInCheck) func rawOfALargeSection() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program))
    var bytes = try built.bytes()
    let line = try #require(
      try run("readelf", ["-SW", built.path]).output.split(separator: "\n")
        .first { $0.contains(" .comment ") })
    let index = try #require(Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }))
    let (offset, size) = (1 << 20, 257 << 20)
    let headers = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 0x28, as: UInt64.self) }
    for (field, value) in [(24, offset), (32, size)] {
      let place = Int(headers) + 64 * index + field
      withUnsafeBytes(of: UInt64(value)) { bytes.replaceSubrange(place..<place + 8, with: $0) }
    }
    let path = try built.write(bytes, as: "large")
    let result = try bash(
      #"""
      truncate -s "$3" "$1" && printf end | dd of="$1" conv=notrunc bs=1 seek=$(($3 - 3)) status=none
      cmp <("$0" section .comment --as raw "$1") <(tail -c +$(($2 + 1)) "$1")
      "$0" section .comment "$1"
      """#, [path, "\(offset)", "\(offset + size)"])
    #expect(result.output.isEmpty && result.status == 2)
    #expect(result.errorOutput.contains("more than the 268435456 of one table"))
  }

  /// Without section headers, a note tells where a section is.
  @Test func byNote() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let paths = [built.path, try built.stripped()]
    let files = try Report("section", ["rebind_annotations"] + paths).files
    #expect(files.map(\.section?.source) == ["section-header", "note"])
    #expect(files[0].base64 == files[1].base64 && files[0].base64?.isEmpty == false)
    #expect(files[0].section?.offset == files[1].section?.offset)
    let result = try inspect(["section", "names", paths[1]])
    #expect(
      result.errorOutput
        == "rebind-inspect: \(paths[1]): no section headers, and no note that says where section names is\n"
    )
  }

  @Test func failures() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let codes = try [
      ["nowhere", built.path], [".bss", built.path], [".text", "--as", "strings", built.path],
      [".shstrtab", "--as", "pointers", GoldenTests.folder.appending(path: "x86-64.so").path],
      [".text", "/etc/passwd"], [".text", "--as", "raw", "/nowhere"],
    ].map { arguments -> String? in
      let result = try inspect(["section"] + arguments)
      #expect(result.status == 2 && result.errorOutput.split(separator: "\n").count == 1)
      if arguments.contains("raw") { return nil }
      return try Report("section", arguments).files.first?.error?.code
    }
    #expect(codes == ["no-section", "unsupported", "unsupported", "unsupported", "not-elf", nil])
  }

  @Test func wrongUsage() throws {
    for arguments in [
      [], [".text"], ["", Places.program], [".text", "--as", "words", Places.program],
      [".text", "--as", "raw", Places.program, Places.program],
      [".text", "--as", "raw", "--format", "json", Places.program],
    ] {
      #expect(try inspect(["section"] + arguments).status == 64)
    }
  }
}
