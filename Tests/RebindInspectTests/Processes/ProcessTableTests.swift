import TestSupport

/// The tables of a process's images, which are those of their files. The output for files is held
/// against readelf.
@Suite(.needsCommands, .measured) struct ProcessTableTests {
  private let program: LookedAtProgram
  private let process: WaitingProcess

  init() throws {
    program = try LookedAtProgram()
    process = try program.started("nothing")
  }

  /// The object of the program, without what only a process or only a file has.
  private func object(_ arguments: [String], path: String? = nil) throws -> [String: Any] {
    let result = try inspect(arguments + ["--format", "json"])
    let document = try #require(
      try JSONSerialization.jsonObject(with: result.standardOutput) as? [String: Any])
    let files = try #require(document["files"] as? [[String: Any]])
    var object = try #require(
      path == nil ? files.first : files.first { $0["path"] as? String == path })
    for key in ["path", "pid", "loadBias"] { object[key] = nil }
    return object
  }

  @Test(arguments: [
    ["symbols"], ["symbols", "--imports"], ["segments"], ["sections"], ["relocations"],
    ["hardening"],
  ])
  func asInTheFile(command: [String]) throws {
    let path = program.url.path
    var (file, loaded) = (
      try object(command + [path]), try object(command + ["--pid", "\(process.id)"], path: path)
    )
    // Counted without section headers; places in the file and in memory.
    for key in ["symbolSource", "hardening"] { (file[key], loaded[key]) = (nil, nil) }
    if command == ["relocations"] {
      func entries(_ object: [String: Any]) -> [NSArray] {
        (object["relocations"] as? [[String: Any]] ?? []).compactMap { $0["entries"] as? NSArray }
      }
      #expect(!entries(file).isEmpty && entries(loaded) == entries(file))
    } else {
      #expect(file as NSDictionary == loaded as NSDictionary)
    }
  }

  @Test func dynamicTable() throws {
    let path = program.url.path
    let (file, loaded) = (
      try object(["dynamic", path]), try object(["dynamic", "--pid", "\(process.id)"], path: path)
    )
    #expect(!(file["needed"] as? [String] ?? []).isEmpty)
    for key in ["needed", "runpath", "versionNeeds", "versionDefinitions"] {
      #expect(file[key] as? NSObject == loaded[key] as? NSObject, "\(key)")
    }
    func tags(_ object: [String: Any]) -> [String] {
      (object["dynamic"] as? [[String: Any]] ?? []).compactMap { $0["tag"] as? String }
    }
    #expect(tags(file) == tags(loaded))
  }

  @Test func notes() throws {
    func contents(_ object: [String: Any]) -> Set<String> {
      Set((object["notes"] as? [[String: Any]] ?? []).compactMap { $0["bytes"] as? String })
    }
    let path = program.url.path
    let loaded = contents(try object(["notes", "--pid", "\(process.id)"], path: path))
    let inFile = contents(try object(["notes", path]))
    #expect(!loaded.isEmpty && loaded.isSubset(of: inFile))
    let images = try report("images", process).files
    let buildID = try #require(images.first { $0.path == path }?.buildID)
    #expect(loaded.contains(buildID))
  }

  /// All but sections are in memory.
  @Test func aDeletedFile() throws {
    let commands = ["symbols", "dynamic", "segments", "notes", "relocations", "hardening"]
    let path = program.url.path
    let before = try commands.map { try object([$0, "--pid", "\(process.id)"], path: path) }
    try FileManager.default.removeItem(at: program.url)
    let gone = path + " (deleted)"
    for (command, before) in zip(commands, before) {
      let after = try object([command, "--pid", "\(process.id)"], path: gone)
      #expect(Set(after.keys) == Set(before.keys), "\(command)")
      if command == "symbols" { #expect(after as NSDictionary == before as NSDictionary) }
    }
  }

  @Test func aReplacedFile() throws {
    let path = program.url.path
    let fixture = DependencyFixture()
    let other = try fixture.program("other")
    // In place, so that no other path leads to the image's own file.
    let copied = try bash(
      #"cat "$2" > "$1.new" && mv "$1.new" "$1""#, [path, other])
    #expect(copied.succeeded)
    let result = try inspect(["sections", "--pid", "\(process.id)"])
    // The kernel leads to the program's file that is gone.
    #expect(result.succeeded)
  }

  /// The kernel leads to the files of libraries for root alone, and not for that of a container.
  @Test func sectionsOfALibraryThatIsGone() throws {
    let fixture = DependencyFixture()
    let library = try fixture.library("libgone.so")
    defer { withExtendedLifetime(fixture) {} }
    let process = try WaitingProcess(
      program.url, ["nothing"], environment: ["LD_PRELOAD": library])
    try FileManager.default.removeItem(atPath: library)
    let result = try inspect(["sections", "--pid", "\(process.id)"])
    let files = "/proc/self/map_files"
    let mayFollow = try FileManager.default.contentsOfDirectory(atPath: files).contains {
      access("\(files)/\($0)", R_OK) == 0
    }
    #expect(result.status == (mayFollow ? 0 : 1))
    #expect(
      mayFollow
        || result.errorOutput.contains(
          "libgone.so (deleted): unsupported: the file is deleted, and memory has no section")
    )
  }

  @Test func wrongUsage() throws {
    for arguments in [
      ["symbols", "--pid", "1", "x"], ["symbols", "--resolve", "--pid", "1"], ["notes"],
    ] {
      #expect(try inspect(arguments).status == 64)
    }
  }
}
