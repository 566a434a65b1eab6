import Foundation
import TestSupport
import Testing

/// `why --pid` and `diff --pid`, with the core in the process itself as the witness.
@Suite(.needsCommands, .measured) struct ProcessWhyTests {
  @Test(arguments: ["lazy", "now"])
  func agreesWithTheCore(binding: String) throws {
    let witness = try WitnessProcess(binding: binding)
    let questions = Set(witness.lines("why").map { Array($0[0..<3]) })
    #expect(questions.count == 10)
    for question in questions {
      let said = witness.lines("why").filter { Array($0[0..<3]) == question }.map {
        $0.dropFirst(3)
      }
      let version = question[1] == "-" ? "" : "@" + question[1]
      let library = question[2] == "-" ? [] : ["--library", question[2]]
      let files = try witness.why(question[0] + version, library)
      var answers: [String] = []
      for file in files {
        for reason in file.reasons where !reason.isOfNone {
          // A pointer that the program has assigned the core passes over.
          if reason.reason == "unchangeable", file.isSeen { continue }
          let words = [file.name, reason.reason, reason.detail ?? "-", "\(reason.slots)"]
          answers.append(words.joined(separator: " "))
        }
      }
      let expected = said.compactMap { fields -> String? in
        let fields = Array(fields)
        guard let reason = Self.reasons[fields[1]] else { return nil }
        return "\(fields[0]) \(reason) \(fields[2]) \(fields[3])"
      }
      #expect(answers.sorted() == expected.sorted(), "\(question)")
      let isNotDefined = said.contains { $0.contains("8") && $0.first == "-" }
      #expect(
        files.contains { $0.reasons.contains { $0.reason == "not-defined" } } == isNotDefined)
      #expect(files.contains(where: \.isSeen) == expected.contains { $0.contains(" has-slots ") })
    }
  }

  /// The slots that the core has changed, and no others, with what they hold.
  @Test func slots() throws {
    let witness = try WitnessProcess(binding: "lazy")
    var rebound: [String] = []
    for symbol in ["open", "malloc"] {
      for file in try witness.why(symbol) {
        for slot in file.slots where slot.state == "rebound" || slot.state == "assigned" {
          rebound.append("\(file.name) \(slot.address) \(slot.symbol) \(slot.value ?? "")")
        }
      }
    }
    let said = witness.lines("slot").map { $0.joined(separator: " ") }
    #expect(rebound.sorted() == said.sorted() && said.count >= 3)
    let text = try inspect(["why", "open", "--pid", "\(witness.id)", "--in", "main"]).output
    let lines = text.split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == "\(witness.program.path):")
    #expect(lines[1].hasPrefix("has-slots - 1 "))
    #expect(lines[2].hasPrefix("slot rebound 1 jumpSlot at 0x"))
    #expect(lines[2].contains(" leads to \(witness.program.path):hooked_"))
  }

  /// Notes name libraries that the process may load, and those that it has loaded say nothing new.
  @Test func librariesOfNotes() throws {
    let fixture = DependencyFixture()
    try fixture.library(
      "libnoting.so",
      RequiresTests.note(
        #"[{"soname":["libabsent.so.1","libother.so"]},{"soname":"libc.so.6"},{"soname":[]}]"#))
    try fixture.program(
      "program",
      """
      #include <stdio.h>
      #include <unistd.h>
      __attribute__((constructor)) static void wait(void) { puts("ready"); fflush(stdout); pause(); }
      """, needs: ["libnoting.so"], flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    let process = try WaitingProcess(URL(filePath: fixture.path("program")))
    #expect(process.said == "ready\n")
    let result = try inspect(["why", "nothing_at_all", "--pid", "\(process.id)"])
    // The parts of a note that cannot be read are said.
    #expect(
      result.errorOutput == """
        rebind-inspect: \(fixture.path("libnoting.so")): the note of dlopen in .note.dlopen has an \
        entry without a soname, which is left out

        """)
    let lines = result.output.split(separator: "\n").dropFirst()
    #expect(
      lines.map { $0.prefix { $0 != " " } } == ["not-imported", "not-defined", "dlopen-missing"])
    #expect(
      lines.last == """
        dlopen-missing libabsent.so.1|libother.so 0 images of the process may load these with dlopen. \
        They have not, and these may define it
        """)
    // Nothing more is said of what an image defines.
    let malloc = try inspect(["why", "malloc", "--pid", "\(process.id)"]).output
    #expect(!malloc.contains("dlopen"))
  }

  @Test func images() throws {
    let witness = try WitnessProcess(binding: "now")
    let pid = "\(witness.id)"
    for name in ["libold.so", witness.path("libold.so")] {
      let files = try witness.why("number", ["--in", name])
      #expect(files.map(\.name) == ["libold.so"])
    }
    // The one that is asked for, even if it has nothing to do with it.
    let unconcerned = try witness.why("number", ["--in", "libc.so.6"])
    #expect(unconcerned.map { $0.reasons.map(\.reason) } == [["not-imported"]])
    let missing = try inspect(["why", "number", "--pid", pid, "--in", "libnone.so"])
    #expect(missing.status == 2 && missing.output.isEmpty)
    #expect(
      missing.errorOutput == "rebind-inspect: libnone.so: is not loaded in process \(pid)\n")
    #expect(try inspect(["why", "open"]).status == 64)
    #expect(try inspect(["why", "open", "--pid", "0"]).status == 64)
  }

  /// Slots that a rebinding leaves alone.
  @Test func unchangeable() throws {
    let program = try LookedAtProgram()
    func why(_ symbol: String, _ what: String) throws -> [ProcessAnswers.File.Reason] {
      let process = try program.started(what)
      let result = try inspect([
        "why", symbol, "--format", "json", "--in", "program", "--pid", "\(process.id)",
      ])
      let files = try JSONDecoder().decode(ProcessAnswers.self, from: result.standardOutput).files
      return files.flatMap(\.reasons)
    }
    let absent = try why("__gmon_start__", "nothing")
    #expect(absent.map(\.reason) == ["unchangeable", "not-defined"])
    #expect(absent.first?.detail == "weak")
    // A pointer that the program has assigned, and then one that somebody has.
    let assigned = try why("getppid", "nothing").filter { $0.reason == "unchangeable" }
    #expect(assigned.map(\.detail) == ["assigned"] && assigned.map(\.slots) == [1])
    let patched = try why("getppid", "patched")
    #expect(patched.first?.reason == "has-slots")
    #expect(patched.last?.detail == "assigned" && patched.last?.slots == 2)
  }

  @Test(arguments: ["-static", "-static-pie"])
  func staticProgram(flag: String) throws {
    let process = try LookedAtProgram(flags: [flag]).started()
    let result = try inspect(["why", "open", "--format", "json", "--pid", "\(process.id)"])
    let files = try JSONDecoder().decode(ProcessAnswers.self, from: result.standardOutput).files
    #expect(files.flatMap(\.reasons).map(\.reason) == ["static-executable"])
  }

  @Test(arguments: ["lazy", "now"])
  func cleanFilesAreEqual(binding: String) throws {
    let program = try LookedAtProgram(flags: ["-Wl,-z,\(binding)"])
    let process = try program.started()
    for file in [program.url.path, try InstalledFile.libc.path] {
      let result = try inspect(["diff", file, "--pid", "\(process.id)"])
      #expect(result.status == 0 && result.output.isEmpty && result.errorOutput.isEmpty)
    }
  }

  @Test(arguments: ["-static", "-static-pie", "-no-pie"])
  func otherProgramsAreEqual(flag: String) throws {
    let program = try LookedAtProgram(flags: [flag])
    let process = try program.started()
    let result = try inspect(["diff", program.url.path, "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output.isEmpty && result.errorOutput.isEmpty)
  }

  /// Each slot that the core has changed, in the image that it is in, and each definition.
  @Test func reboundSlotsDiffer() throws {
    let witness = try WitnessProcess(binding: "lazy")
    let pid = "\(witness.id)"
    func changes(_ file: String) throws -> [[Substring]] {
      let result = try inspect(["diff", file, "--pid", pid])
      #expect(result.status == 1 && result.errorOutput.isEmpty)
      return result.output.split(separator: "\n").map { $0.split(separator: " ") }
    }
    let program = try changes(witness.program.path)
    let said = witness.lines("slot").filter { $0[0] == "main" && $0[2] == "open" }.map { $0[1] }
    let slots = program.filter { $0[0] == "+" && $0[2].contains(":open@") }
    #expect(slots.map { String($0[2].split(separator: ":")[0]) } == said)
    #expect(program.allSatisfy { $0[1] == "slot-value" })
    #expect(slots.allSatisfy { $0[3].hasPrefix("\(witness.program.path):hooked_") })
    let before = program.filter { $0[0] == "-" }
    #expect(
      before.allSatisfy { $0[3].contains("/libc.so.6:") } && before.count * 2 == program.count)

    let libc = try changes(try InstalledFile.libc.path)
    #expect(Set(libc.map { $0[1] }).isSubset(of: ["export-value", "slot-value"]))
    let exports = libc.filter { $0[0] == "+" && $0[1] == "export-value" }
    #expect(
      Set(exports.map { String($0[2].split(separator: "@")[0]) }) == ["open", "malloc"])
    let only = try inspect(["diff", "--except", "slot-value", witness.program.path, "--pid", pid])
    #expect(only.status == 0 && only.output.isEmpty)
  }

  /// The file was replaced since it was loaded: its path leads to the image.
  @Test func replacedFile() throws {
    let program = try LookedAtProgram()
    let process = try program.started()
    let built = try Data(contentsOf: program.url)
    try FileManager.default.removeItem(at: program.url)
    let other = try LookedAtProgram(flags: ["-Wl,-z,now"])
    try FileManager.default.copyItem(at: other.url, to: program.url)
    let result = try inspect(["diff", program.url.path, "--pid", "\(process.id)"])
    #expect(result.status == 1 && result.errorOutput.isEmpty)
    #expect(result.output.contains("- build-id build-id "))
    #expect(result.output.contains("- hardening binds-now yes\n+ hardening binds-now no\n"))
    // The build ID leads to it from anywhere.
    let copy = program.url.deletingLastPathComponent().appending(path: "copy")
    try built.write(to: copy)
    #expect(try inspect(["diff", copy.path, "--pid", "\(process.id)"]).status == 0)
    let named = try inspect([
      "diff", Places.program, "--image", "program", "--only", "soname", "--pid", "\(process.id)",
    ])
    #expect(named.status == 0 && named.output.isEmpty)
  }

  @Test func wrongUsage() throws {
    let process = try LookedAtProgram().started()
    let pid = "\(process.id)"
    let file = try InstalledFile.clang.path
    let missing = try inspect(["diff", file, "--pid", pid])
    #expect(missing.status == 2)
    #expect(missing.errorOutput == "rebind-inspect: \(file): is not loaded in process \(pid)\n")
    let unnamed = try inspect(["diff", file, "--pid", pid, "--image", "libnone.so"])
    #expect(unnamed.errorOutput == "rebind-inspect: libnone.so: is not loaded in process \(pid)\n")
    #expect(try inspect(["diff", file, file, "--pid", pid]).status == 64)
    #expect(try inspect(["diff", file, file, "--image", "a"]).status == 64)
    #expect(try inspect(["diff", file, "--pid", "-1"]).status == 64)
    #expect(try inspect(["diff", file, "--pid", "2147483647"]).status == 2)
  }

  /// The core's numbers.
  private static let reasons = [
    "1": "has-slots", "3": "bound-inside", "4": "other-name", "5": "other-version",
    "6": "other-library", "9": "static-executable", "10": "unchangeable", "11": "bypassed",
    "12": "sealed",
    // The command asks what a rebinding in the image alone would see.
    "15": "has-slots",
  ]
}

/// The output of `why --pid --format json`.
private struct ProcessAnswers: Decodable {
  struct File: Decodable {
    struct Reason: Decodable {
      var reason: String
      var detail: String?
      var slots: Int

      /// True for what the core says of no image.
      var isOfNone: Bool {
        ["not-imported", "not-defined", "may-be-inside", "similar-name"].contains(reason)
      }
    }
    var path: String
    var isSeen: Bool
    var reasons: [Reason]
    var slots: [Slot]

    var name: String { FilePathText.last(path) }
  }
  var files: [File]
}

/// Tests/Fixtures/inspect-witness.c, which has rebound open and malloc, and what it says.
private final class WitnessProcess {
  private let builder: FixtureBuilder
  private let process = Process()
  private var said: [[String]] = []
  let program: URL
  var id: Int32 { process.processIdentifier }

  init(binding: String) throws {
    builder = try FixtureBuilder(.gcc, in: Fixture.named("diagnose, \(binding)").directory)
    program = try builder.build(
      "main", from: ["inspect-witness.c"], flags: ["-Wl,-z,\(binding)"],
      libraries: [builder.runPath]
    ).resolvingSymlinksInPath()
    let output = Pipe()
    try process.setTraceable(
      program, ["libold.so", "libother.so", "libsymbolic.so", "liblarge.so"])
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
    var text = Data()
    while !text.hasSuffix("ready\n") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw SetupFailure(output: "the witness ended") }
      text += more
    }
    said = String(decoding: text, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ").map(String.init) }
  }

  deinit { process.end() }

  /// The lines that start with a word, without it.
  func lines(_ word: String) -> [[String]] {
    said.filter { $0.first == word }.map { Array($0.dropFirst()) }
  }

  func path(_ name: String) -> String {
    builder.directory.url.appending(path: name).resolvingSymlinksInPath().path
  }

  /// The answer of `why` for the process.
  func why(_ symbol: String, _ options: [String] = []) throws -> [ProcessAnswers.File] {
    let result = try inspect(["why", symbol, "--format", "json", "--pid", "\(id)"] + options)
    #expect(result.succeeded, "\(result.errorOutput)")
    return try JSONDecoder().decode(ProcessAnswers.self, from: result.standardOutput).files
  }
}

extension Data {
  fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count) == Data(text.utf8) }
}
