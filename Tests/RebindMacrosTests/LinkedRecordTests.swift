import TestSupport

/// Annotations of Swift and of C stay together, whatever links them.
@Suite(.needsMacros, .measured, .notInCheck) struct LinkedRecordTests {
  static let linkers = ["bfd", "gold", "lld"]

  @Test(arguments: linkers, DeclaringObjects.Level.allCases)
  func aLibraryHasAllRecords(linker: String, level: DeclaringObjects.Level) throws {
    let objects = try DeclaringObjects.compiled(level)
    let name = "lib\(linker).so"
    try objects.swiftc(
      ["-emit-library", "-use-ld=\(linker)", "-Xlinker", "--gc-sections", "-o", name]
        + objects.objects)
    let library = objects.folder.appending(path: name)
    let records = try DecodedRecord.all(in: library)
    #expect(Set(records.map(\.description)) == DeclaringObjects.expected)
    #expect(records.count == DeclaringObjects.expected.count)
    #expect(try noteCount(of: library) == 2)
  }

  /// Statically and dynamically linked standard library; the types and instances are there.
  @Test(
    arguments: linkers.map { ["-use-ld=\($0)"] } + [["-use-ld=lld", "-static-stdlib"]],
    DeclaringObjects.Level.allCases)
  func aProgramHasAllRecords(flags: [String], level: DeclaringObjects.Level) throws {
    let objects = try DeclaringObjects.compiled(level)
    let name = "program\(flags.joined())"
    try objects.swiftc(
      flags + ["-Xlinker", "--gc-sections", "-o", name] + objects.objects + objects.main
        + [Fixture.core(by: .gcc)])
    let result = try run(objects.folder.appending(path: name).path)
    #expect(result.errorOutput == "")
    #expect(
      Set(result.output.split(separator: "\n").map(String.init)) == [
        "linked mail '' 3, type Mail, instance declaring.Mail",
        "linked folder 'in a type' 0, type Folder", "linked static '' -2147483648",
        "linked plain 'äöü' 0", "linked factory '' 16, instance [1, 2]",
        "linked more '' 2, type More", "linked c 'so long that it is aligned' 1",
      ])
  }

  /// A sanitizer that pads what it watches, and a linker that compiles, leave the records alone.
  @Test(arguments: [["-sanitize=address"], ["-O", "-lto=llvm-full", "-use-ld=lld"]])
  func instrumentedAndLateCompiledLibrariesHaveAllRecords(flags: [String]) throws {
    let objects = try DeclaringObjects.compiled(.debug)
    let name = "lib\(flags[0]).so"
    try objects.swiftc(
      ["-emit-library", "-parse-as-library", "-swift-version", "6", "-module-name", "declaring"]
        + flags + ["-I", Places.products.appending(path: "Modules").path] + macroFlags
        + ["-o", name, "services.swift", "more.swift"]
        + ["declaring.o", "RebindAnnotations.o", "index.o"])
    let records = try DecodedRecord.all(in: objects.folder.appending(path: name))
    #expect(Set(records.map(\.description)) == DeclaringObjects.expected)
    #expect(records.count == DeclaringObjects.expected.count)
  }

  /// Of an archive a linker takes the members that something refers to: annotations are not
  /// referred to.
  @Test func anArchiveLosesRecords() throws {
    let objects = try DeclaringObjects.compiled(.debug)
    let archive = objects.folder.appending(path: "libdeclaring.a").path
    let made = try run(
      "ar", ["rcs", archive] + objects.objects, currentDirectory: objects.folder)
    #expect(made.succeeded)
    for (name, options, count) in [
      ("without", [archive], 0),
      (
        "whole", ["-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"],
        DeclaringObjects.expected.count
      ),
    ] {
      try objects.cc(["-shared", "-o", name] + options)
      #expect(try DecodedRecord.all(in: objects.folder.appending(path: name)).count == count)
    }
  }

  /// In the order of the source, with its lines.
  @Test func linesAreThoseOfTheMacros() throws {
    let objects = try DeclaringObjects.compiled(.debug)
    try objects.swiftc(["-emit-library", "-use-ld=lld", "-o", "lines.so"] + objects.objects)
    let records = try DecodedRecord.all(in: objects.folder.appending(path: "lines.so"))
    let lines = Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0.line) })
    #expect(
      lines == [
        "mail": 3, "folder": 7, "static": 10, "plain": 12, "factory": 13, "more": 3, "c": 3,
      ])
  }

  /// The notes that lead to the section: one of C, and one of CRebindAnnotations for Swift.
  private func noteCount(of file: URL) throws -> Int {
    let result = try run("readelf", ["-nW", file.path])
    return result.output.split(separator: "\n")
      .filter { $0.contains(/^\s*Rebind\s+0x/) }.count
  }
}
