import TestSupport

/// The output of `slots --pid` for the slots of a process.
@Suite(.needsCommands, .measured) struct ProcessSlotTests {
  /// Those that were rebound, in all images, and no others.
  @Test func rebound() throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound")
    let (files, status) = try report("slots", process, ["--state", "rebound"])
    #expect(status == 0)
    let slots = files.flatMap { $0.slots ?? [] }
    #expect(Set(slots.map(\.symbol)) == ["open", "malloc"])
    #expect(files.first?.path == program.url.path && files.count > 1)
    for slot in slots {
      #expect(slot.state == "rebound" && slot.reboundBy == program.url.path)
      #expect(slot.target?.image == program.url.path && slot.value == slot.target?.address)
    }
    #expect(Set(slots.map { "\($0.symbol) \($0.value ?? "")" }).count == 2)
    // None that leads elsewhere is left.
    let named = try report("slots", process, ["--name", "open", "--name", "malloc"]).files
    #expect(named.flatMap { $0.slots ?? [] } == slots)
  }

  @Test(arguments: ["lazy", "now"])
  func states(_ binding: String) throws {
    let program = try LookedAtProgram(flags: ["-Wl,-z,\(binding)"])
    let process = try program.started()
    let file = try #require(try report("slots", process).files.first)
    #expect(file.path == program.url.path && file.pid == Int(process.id))
    let slots = try #require(file.slots)
    // The rest is as in the file.
    let inFile = try #require(try Report("slots", [program.url.path]).files.first?.slots)
    #expect(slots.map(\.ofFile) == inFile)

    let called = slots.filter { $0.symbol == "getppid" && $0.kind != "absolute" }
    #expect(!called.isEmpty)
    for slot in called {
      #expect(slot.state == "original" && slot.target?.symbol == "getppid")
      #expect(slot.target?.offset == "0x0" && slot.target?.image?.hasSuffix("/libc.so.6") == true)
      #expect(slot.reboundBy == nil)
    }
    let pointers = slots.filter { $0.symbol == "getppid" && $0.kind == "absolute" }
    #expect(pointers.first { $0.relro }?.state == "original")
    let assigned = try #require(pointers.first { !$0.relro })
    #expect(assigned.state == "assigned" && assigned.target?.image == program.url.path)

    let start = try #require(slots.first { $0.symbol == "__gmon_start__" })
    #expect(start.state == "null" && start.value == "0x0" && start.target == nil)
    let isUnresolved = slots.contains { $0.state == "unresolved" && $0.target == nil }
    #expect(isUnresolved == (binding == "lazy"))
  }

  /// A program that is gone is looked at as one that is there.
  @Test func deleted() throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound")
    try FileManager.default.removeItem(at: program.url)
    let files = try report("slots", process, ["--state", "rebound"]).files
    #expect(files.first?.path == program.url.path + " (deleted)")
    #expect(Set(files.flatMap { $0.slots ?? [] }.map(\.symbol)) == ["open", "malloc"])
  }

  @Test func text() throws {
    let program = try LookedAtProgram()
    let process = try program.started("patched")
    let result = try inspect(["slots", "--pid", "\(process.id)", "--state", "rebound"])
    #expect(result.succeeded)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.first == "\(program.url.path):")
    let fields = try #require(lines.last).split(separator: " ")
    #expect(fields.count == 14 && fields[13] == "-")
    #expect(fields[2] == "absolute" && fields[9].hasPrefix("getppid@") && fields[10] == "rebound")
    #expect(fields[12].hasSuffix("hooked_getppid"))
    // nm is the witness for the static function.
    let nm = try run("nm", [program.url.path]).output.split(separator: "\n")
    let value = try #require(nm.first { $0.hasSuffix(" t hooked_getppid") }?.prefix(16))
    let target = try report("slots", process, ["--state", "rebound"]).files[0]
    let slot = try #require(target.slots?.first?.target)
    let linked = try #require(UInt64(value, radix: 16))
    let address = try #require(UInt64(slot.address.dropFirst(2), radix: 16))
    #expect(slot.symbol == "hooked_getppid" && slot.offset == "0x0")
    #expect("0x" + String(address - linked, radix: 16) == target.loadBias)
  }

  /// Without the linker's symbols the place is all that can be said.
  @Test func stripped() throws {
    let program = try LookedAtProgram(flags: ["-Wl,-z,lazy", "-Wl,-z,relro", "-s"])
    let process = try program.started("patched")
    let files = try report("slots", process, ["--state", "rebound"]).files
    let target = files.first?.slots?.first?.target
    #expect(target?.symbol == nil && target?.image == program.url.path)
  }

  @Test func wrongUsage() throws {
    #expect(try inspect(["slots", "--state", "rebound", Places.program]).status == 64)
    #expect(try inspect(["slots", "--pid", "1", Places.program]).status == 64)
    #expect(try inspect(["slots", "--pid", "0"]).status == 64)
    #expect(try inspect(["slots"]).status == 64)
    let missing = try inspect(["slots", "--pid", "2147483647"])
    #expect(missing.status == 2)
    #expect(missing.errorOutput == "rebind-inspect: /proc/2147483647: No such process\n")
  }
}
