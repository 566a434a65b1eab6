import TestSupport

/// Slots that no rebinding can change, and slots that calls pass by.
@Suite(.needsCommands, .measured) struct UnchangeableSlotTests {
  /// One of the images of a process as `why` and `hardening` see it.
  private struct Answer: Decodable {
    struct Reason: Decodable {
      var reason: String
      var detail: String?
      var slots: Int
      var message: String
    }
    struct Hardening: Decodable {
      var asksForSealing: Bool
      var sealing: String?
      var verdicts: [Verdict]
    }
    struct Verdict: Decodable {
      var property: String
      var verdict: String
    }
    var path: String
    var isSeen: Bool?
    var reasons: [Reason]?
    var slots: [Slot]?
    var hardening: Hardening?

    var words: [String] { (reasons ?? []).map { "\($0.reason) \($0.slots)" } }
    var seal: String? { hardening?.verdicts.first { $0.property == "seal" }?.verdict }
  }

  private func answers(_ words: String..., of process: WaitingProcess) throws -> [Answer] {
    try Document<Answer>(words[0], words.dropFirst() + ["--pid", "\(process.id)"]).files
  }

  /// A fixture of the core that has stopped, with the folder of its libraries.
  private func stopped(_ recipe: String) throws -> (WaitingProcess, folder: String) {
    let built = try Fixture.named(recipe)
    let process = try WaitingProcess(built.program, built.arguments + ["wait"])
    process.directory = built.directory
    return (process, built.folder.resolvingSymlinksInPath().path)
  }

  #if arch(x86_64)
  @Test func sealedImages() throws {
    let (process, folder) = try stopped("sealed")
    guard process.said == "ready\n" else { try Test.cancel("the kernel has no mseal") }
    let found = try answers("why", "getppid", of: process)
    let plugin = try #require(found.first { $0.path == "\(folder)/plugin.so" })
    #expect(plugin.words == ["sealed 1"] && plugin.isSeen == false)
    #expect(plugin.slots?.map(\.state) == ["original"])
    let program = try #require(found.first { $0.path == "\(folder)/program" })
    #expect(program.words.first?.hasPrefix("has-slots ") == true && program.isSeen == true)

    let hardening = try answers("hardening", of: process)
    func seal(_ path: String) -> String? { hardening.first { $0.path == path }?.seal }
    #expect(seal("\(folder)/plugin.so") == "sealed")
    #expect(seal("\(folder)/definer.so") == "partial")
    #expect(seal("\(folder)/program") == "no")
    #expect(hardening.allSatisfy { $0.hardening?.sealing != nil })
  }

  @Test(arguments: ["default", "IBT"])
  func rewrittenPLT(variant: String) throws {
    let (process, folder) = try stopped("rewritten-plt, \(variant)")
    let path = "\(folder)/rewritten.so"
    let library = try #require(
      try answers("why", "getppid", of: process).first { $0.path == path })
    #expect(library.words == ["bypassed 1", "has-slots 1"] && library.isSeen == false)
    let slots = try report("slots", process, ["--name", "getppid"]).files
      .flatMap { file in (file.slots ?? []).map { (file.path, $0) } }
    for (image, slot) in slots { #expect((slot.bypass != nil) == (image == path)) }
    let slot = try #require(slots.first { $0.0 == path }?.1)
    #expect(slot.bypass?.symbol == "getppid" && slot.bypass == slot.target)
    let text = try inspect(["why", "getppid", "--pid", "\(process.id)", "--in", path]).output
    #expect(text.contains(", but calls pass it by and jump to /"))
  }
  #endif

  /// glibc 2.43 seals what these files ask for.
  @Test func filesThatAskToBeSealed() throws {
    let fixture = DependencyFixture()
    func library(_ name: String, _ flags: [String]) throws -> String {
      try fixture.library(
        name,
        """
        #include <unistd.h>
        pid_t call(void) { return getppid(); }
        __asm__(".pushsection .note.seal, \\"a\\", %note\\n.p2align 3\\n"
                ".long 4, 8, 5\\n.asciz \\"GNU\\"\\n.long 3, 0\\n.popsection");
        """, needs: [InstalledFile.libc.path], flags: flags)
    }
    func why(_ path: String) throws -> Answer {
      try #require(try Document<Answer>("why", ["getppid", "--in", path]).files.first)
    }
    let now = try library("now.so", ["-Wl,-z,relro,-z,now"])
    let answer = try why(now)
    #expect(answer.words == ["has-slots 1", "sealed 1"] && answer.isSeen == true)
    #expect(answer.reasons?.last?.detail == "requested")
    // A slot that stays writable is not sealed.
    #expect(try why(library("lazy.so", ["-Wl,-z,relro,-z,lazy"])).words == ["has-slots 1"])

    let hardening = try #require(try Document<Answer>("hardening", [now]).files.first)
    #expect(hardening.seal == "requested" && hardening.hardening?.asksForSealing == true)
    #expect(hardening.hardening?.sealing == nil)
    #expect(try inspect(["notes", now]).output.contains("MEMORY_SEAL"))
    let other = try fixture.library(
      "other.so", "#include <unistd.h>\npid_t call(void) { return getppid(); }")
    #expect(try inspect(["hardening", other]).output.contains("\nseal no "))
    #expect(
      try inspect(["diff", "--only", "hardening", now, other]).output.contains("memory-seal"))
  }
}
