import TestSupport

/// The output of `annotations` for files.
@Suite(.needsCommands, .measured) struct AnnotationsCommandTests {
  @Test func text() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let result = try inspect(["annotations", built.path])
    try #require(result.succeeded && result.errorOutput.isEmpty)
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ") }
    try #require(lines.count == 3 && lines.allSatisfy { $0.count == 7 })
    #expect(lines[0][0...3] == ["modules", "Mail", "-", "0"])
    #expect(lines[1][0...3] == ["services", "mail", #"Mail\x20Service"#, "10"])
    #expect(lines[2][0...3] == ["services", "calendar", "-", "-3"])
    #expect(lines[0][5...] == ["-", "0x0"])
    // The accessor is the function of that name.
    let symbols = try run("readelf", ["-sW", built.path]).output.split(separator: "\n")
    let accessor = try #require(symbols.first { $0.hasSuffix(" accessor") }).split(separator: " ")
    #expect(UInt64(lines[2][5].dropFirst(2), radix: 16) == UInt64(accessor[1], radix: 16))
  }

  @Test func theSourceIsSaid() throws {
    let built = try AnnotatedFile(LinkMode(.lld, .program))
    let files = try Report("annotations", [built.path, built.stripped(), Places.program]).files
    #expect(files.map(\.annotationSource) == ["section-header", "note", nil])
    #expect(files[0].annotations == files[1].annotations && files[0].annotations?.count == 3)
    #expect(files[2].annotations == [])
  }

  @Test func objectFile() throws {
    let built = try AnnotatedFile(object: .clang)
    let file = try #require(try Report("annotations", [built.path]).files.first)
    #expect(file.annotations?.map(\.hasAccessor) == [false, false, true])
    #expect(file.annotations?.map(\.accessor) == [nil, nil, nil])
    #expect(try inspect(["annotations", built.path]).output.contains(" ? 0x"))
  }

  @Test func group() throws {
    let built = try AnnotatedFile(LinkMode(.gold, .shared))
    let result = try inspect(["annotations", "--group", "services", built.path])
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(try inspect(["annotations", "--group", "none", built.path]).output.isEmpty)
  }

  @Test func expectedNumber() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let path = built.path
    #expect(try inspect(["annotations", "--expect", "3", path]).succeeded)
    #expect(try inspect(["annotations", "--expect", "1", "--group", "modules", path]).succeeded)
    let fewer = try inspect(["annotations", "--expect", "4", path])
    let shown = try inspect(["annotations", path]).output
    #expect(fewer.status == 1 && fewer.output == shown)
    #expect(fewer.errorOutput.hasPrefix("rebind-inspect: \(path): 3 annotations, not 4: "))
    #expect(fewer.errorOutput.split(separator: "\n").count == 1)
    #expect(fewer.errorOutput.contains("--gc-sections"))
    #expect(try inspect(["annotations", "--expect", "2", path]).status == 1)
    let none = try inspect(["annotations", "--expect", "1", Places.program])
    #expect(none.status == 1 && none.errorOutput.contains(": 0 annotations, not 1: "))
    #expect(try Report("annotations", ["--expect", "4", path]).files.first?.expected == 4)
  }

  /// `used` without `retain`: the linker drops what nothing refers to, and the check finds it.
  @Test func droppedByTheLinker() throws {
    let builder = try FixtureBuilder(.gcc)
    let library = try builder.build(
      "dropped.so", from: ["file-annotations.c"],
      flags: AnnotatedFile.includeFlags
        + ["-shared", "-fPIC", "-Dretain=unused", "-ffunction-sections", "-fdata-sections"]
        + ["-fuse-ld=bfd", "-Wl,--gc-sections", "-Wl,-z,start-stop-gc"],
      withCore: false)
    let result = try inspect(["annotations", "--expect", "3", library.path])
    #expect(result.status == 1)
    #expect(result.errorOutput.contains(": 0 annotations, not 3: "))
  }

  /// A fault is a line, and the rest is printed.
  @Test func faults() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    var bytes = try built.bytes()
    let magics = bytes.indices.filter { bytes[$0...].prefix(4).elementsEqual("RBA1".utf8) }
    try #require(magics.count == 3)
    bytes[magics[1] + 4] = 0xff
    let path = try built.write(bytes, as: "broken")
    let result = try inspect(["annotations", path, built.path])
    #expect(result.status == 2)
    let lines = result.errorOutput.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("rebind-inspect: \(path): at offset 0x28 of rebind_annotations: "))
    let files = try Report("annotations", [path, built.path]).files
    #expect(files[0].annotations?.map(\.key) == ["Mail", "calendar"])
    #expect(files[0].faults?.map(\.code).count == 1 && files[0].error == nil)
    #expect(files[1].annotations?.count == 3 && files[1].faults == [])
  }

  @Test func wrongUsage() throws {
    for arguments in [
      [], ["--pid", "1", Places.program], ["--pid", "0"], ["--expect", "-1", Places.program],
      ["--expect", "many", Places.program],
    ] {
      #expect(try inspect(["annotations"] + arguments).status == 64)
    }
  }
}
