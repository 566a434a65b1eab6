import Rebind
import TestSupport

/// The loaded images, beside what the kernel, the loader and readelf say of them.
@Suite(.measured) struct ImageTests {
  /// The places where `/proc/self/maps` has the beginning of a file that has code.
  @Test func allAreThoseThatTheKernelHasMapped() async {
    await #expect(processExitsWith: .success) {
      let images = try Image.all
      let maps = try lines(of: "cat", ["/proc/\(getpid())/maps"])
        .map { words($0) }.filter { $0.count == 6 }
      let withCode = Set(maps.filter { $0[1].contains("x") && $0[5].hasPrefix("/") }.map { $0[5] })
      var mapped: [UInt64: String] = [:]
      for map in maps where map[2] == "00000000" && withCode.contains(map[5]) {
        let start = number(map[0].split(separator: "-")[0])!
        if !mapped.values.contains(map[5]) { mapped[start] = map[5] }
      }
      let files = images.filter { $0.role != .vdso }
      try #require(Set(files.map(\.header)) == Set(mapped.keys))
      for image in files {
        let real = realpath(image.path, nil)
        defer { free(real) }
        try #require(real.map { String(cString: $0) } == mapped[image.header])
      }
    }
  }

  @Test func mainIsTheProgram() throws {
    let main = try Image.main
    #expect(main.role == .program && main.type == .sharedObject)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") == main.path)
    #expect(try Image.all.first == main && Image.all.filter { $0.role == .program }.count == 1)
  }

  /// dladdr is the witness.
  @Test func containsItsFunctions() async {
    await #expect(processExitsWith: .success) {
      let function = address(of: getppid)
      let info = try #require(LoaderInfo(UInt64(function)))
      let image = try #require(try Image.containing(function))
      #expect(image.header == info.base && image.path == info.path)
      #expect(image.contains(function) && image.soname == "libc.so.6")
      #expect(try Image.containing(8 as UInt) == nil)
      let onTheHeap = UnsafeMutablePointer<Int>.allocate(capacity: 1)
      defer { onTheHeap.deallocate() }
      #expect(try Image.containing(UInt(bitPattern: onTheHeap)) == nil)
    }
  }

  @Test func isFoundBySonamePathAndFileName() throws {
    let libc = try #require(try Image.named("libc.so.6"))
    #expect(try Image.named(libc.path) == libc)
    let plugin = try Plugin(name: "libplugin-of-images.so")
    let library = try OpenLibrary(plugin.path)
    defer { library.close() }
    let image = try #require(try Image.named("libplugin-of-images.so"))
    #expect(image.path == plugin.path && image.role == .library)
    #expect(try Image.named("libplugin-of") == nil && Image.named("") == nil)
    #expect(image.description.hasPrefix("libplugin-of-images.so at 0x"))
  }

  @Test func segmentsAreThoseOfTheFile() throws {
    for image in [try Image.main, try #require(try Image.named("libc.so.6"))] {
      // "  LOAD  0x000000 0x0000000000000000 0x0000000000000000 0x00063c 0x00063c R   0x1000"
      let rows = try lines(of: "readelf", ["--segments", "--wide", image.path])
        .map { words($0) }.filter { $0.count >= 7 && $0[1].hasPrefix("0x") }
      try #require(rows.count == image.segments.count)
      for (row, segment) in zip(rows, image.segments) {
        #expect(row[0] == segment.type.name)
        #expect(number(row[1]) == segment.fileOffset && number(row[2]) == segment.address)
        #expect(number(row[4]) == segment.fileSize && number(row[5]) == segment.memorySize)
        #expect(number(row.last!) == segment.alignment)
        let flags = row[6..<(row.count - 1)].joined()
        #expect(flags.contains("R") == segment.permissions.contains(.read))
        #expect(flags.contains("W") == segment.permissions.contains(.write))
        #expect(flags.contains("E") == segment.permissions.contains(.execute))
      }
    }
  }

  /// The loader has added the load bias to some addresses in memory.
  @Test(arguments: [[], ["-Wl,-z,rodynamic"], ["-Wl,--hash-style=sysv"]])
  func dynamicTableIsThatOfTheFile(flags: [String]) throws {
    let linker = flags.contains("-Wl,-z,rodynamic") ? ["-fuse-ld=lld"] : []
    let name = "libplugin-\(flags.joined().filter(\.isLetter)).so"
    let plugin = try Plugin(flags: flags + linker, name: name)
    let library = try OpenLibrary(plugin.path)
    defer { library.close() }
    let opened = try #require(try Image.named(plugin.path))
    for image in [opened, try Image.main, try #require(try Image.named("libc.so.6"))] {
      // " 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]"
      let rows = try lines(of: "readelf", ["--dynamic", "--wide", image.path])
        .filter { $0.hasPrefix(" 0x") && !$0.contains("(NULL)") }
      try #require(rows.count == image.dynamicTable.entries.count)
      for (row, entry) in zip(rows, image.dynamicTable.entries) {
        let parts = words(row)
        #expect(number(parts[0]).map(Int64.init(bitPattern:)) == entry.tag.rawValue)
        #expect(parts[1] == "(\(entry.tag))")
        if let bracket = row.firstMatch(of: /\[(.*)\]/) {
          #expect(entry.string == String(bracket.1))
        }
        if parts[2].hasPrefix("0x"), entry.tag != .debug {
          #expect(number(parts[2]) == entry.value)
        }
        if row.hasSuffix("(bytes)") { #expect(UInt64(parts[2]) == entry.value) }
      }
    }
    #expect(opened.needed == ["libc.so.6"] && opened.soname == name)
  }

  @Test func buildIDIsThatOfTheFile() throws {
    for image in [try #require(try Image.named("libc.so.6")), try Image.main] {
      let notes = try lines(of: "readelf", ["--notes", "--wide", image.path])
      let expected = notes.compactMap { $0.firstMatch(of: /Build ID: ([0-9a-f]+)/)?.1 }.first
      #expect(image.buildID?.description == expected.map(String.init))
    }
  }

  @Test func machineIsThisOne() throws {
    let header = try lines(of: "readelf", ["--file-header", try Image.main.path])
    let isX86 = header.contains { $0.contains("Machine:") && $0.contains("X86-64") }
    #expect(try Image.main.machine == (isX86 ? .amd64 : .aarch64))
  }

  /// A value outlives its image, and another loading of the file is another image.
  @Test func identityIsOfOneLoading() throws {
    let plugin = try Plugin(name: "libplugin-twice.so")
    let first = try OpenLibrary(plugin.path)
    let image = try #require(try Image.named(plugin.path))
    #expect(try Image.named(plugin.path) == image)
    #expect(try image.symbols(named: "plugin_parent").count == 1)
    first.close()
    #expect(try Image.named(plugin.path) == nil)
    let error = #expect(throws: RebindError.self) { try image.symbols() }
    #expect(error?.code == .noSuchImage)
    #expect(throws: RebindError.self) { try image.slots() }
    let second = try OpenLibrary(plugin.path)
    defer { second.close() }
    let again = try #require(try Image.named(plugin.path))
    #expect(again != image && again.id.generation > image.id.generation)
    #expect(image.segments == again.segments && image.soname == "libplugin-twice.so")
  }

  /// Another one in the place of a closed image is not asked in its stead. Alone in its process, so
  /// that the place is free.
  @Test(arguments: [false, true]) func anotherInItsPlaceIsNotIt(isGapSeen: Bool) async {
    await #expect(processExitsWith: .success) { [isGapSeen] in
      let plugin = try Plugin(name: "libplugin-one.so")
      let other = try Plugin(name: "libplugin-two.so")
      let first = try OpenLibrary(plugin.path)
      let image = try #require(try Image.named(plugin.path))
      try #require(try !image.symbols().isEmpty)
      first.close()
      if isGapSeen { try #require(try Image.named(plugin.path) == nil) }
      let second = try OpenLibrary(other.path)
      defer { second.close() }
      // Before anything else looks.
      let slots = #expect(throws: RebindError.self) { try image.slots() }
      let symbols = #expect(throws: RebindError.self) { try image.symbols() }
      let sections = #expect(throws: SectionError.self) { try image.sections() }
      try #require(slots?.code == .noSuchImage && symbols?.code == .noSuchImage)
      try #require(sections?.code == .noSuchImage)
      let there = try #require(try Image.named(other.path))
      try #require(there.header == image.header && there.id != image.id)
      try #require(try !there.slots().isEmpty)
    }
  }
}
