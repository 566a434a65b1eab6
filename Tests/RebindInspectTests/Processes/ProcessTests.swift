import TestSupport

/// The output of `annotations --pid` for a process.
@Suite(.needsCommands, .measured) struct ProcessTests {
  @Test(arguments: [LinkMode.Kind.program, .fixedProgram, .staticPIE])
  func annotations(_ kind: LinkMode.Kind) throws {
    let built = try AnnotatedFile(LinkMode(.lld, kind))
    let process = try WaitingProcess(built.url)
    let result = try inspect(["annotations", "--format", "json", "--pid", "\(process.id)"])
    #expect(result.succeeded && result.errorOutput.isEmpty)
    let report = try result.report()
    let file = try #require(report.files.first)
    #expect(report.files.count == 1 && file.path == built.url.resolvingSymlinksInPath().path)
    #expect(file.pid == Int(process.id) && file.annotationSource == "note")
    #expect(kind == .fixedProgram ? file.loadBias == "0x0" : file.loadBias != "0x0")
    // Addresses are those of the file, whatever the load bias.
    let expected = try Report("annotations", [built.path]).files.first?.annotations
    #expect(file.annotations == expected)
  }

  /// Neither section headers nor the file are needed.
  @Test func strippedAndDeleted() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program))
    let stripped = try built.stripped()
    #expect(try run("chmod", ["+x", stripped]).succeeded)
    let process = try WaitingProcess(URL(filePath: stripped))
    try FileManager.default.removeItem(atPath: stripped)
    let pid = "\(process.id)"
    let result = try inspect(["annotations", "--expect", "3", "--pid", pid])
    #expect(result.succeeded)
    #expect(result.output.hasPrefix(stripped) && result.output.contains("services calendar"))
    let fewer = try inspect(["annotations", "--expect", "4", "--pid", pid])
    #expect(fewer.status == 1)
    #expect(fewer.errorOutput.hasPrefix("rebind-inspect: /proc/\(pid): 3 annotations, not 4: "))
  }

  /// An image without a note is read by its file, once that is proven to be the image's.
  @Test func withoutNote() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program))
    var bytes = try built.bytes()
    let note = try #require(bytes.firstRange(of: Data("Rebind\0".utf8)))
    bytes[note.lowerBound] = 0x78
    let path = try built.write(bytes, as: "plain")
    #expect(try run("chmod", ["+x", path]).succeeded)
    let process = try WaitingProcess(URL(filePath: path))
    func report() throws -> Report {
      let result = try inspect(["annotations", "--format", "json", "--pid", "\(process.id)"])
      #expect(result.succeeded)
      return try result.report()
    }
    let files = try report().files
    #expect(files.map(\.annotationSource) == ["section-header"])
    #expect(files.first?.annotations?.count == 3)
    // Another file at its path is not asked; only root's map_files leads to the old one.
    try FileManager.default.removeItem(atPath: path)
    let another = try AnnotatedFile(LinkMode(.bfd, .fixedProgram)).bytes()
    try another.write(to: URL(filePath: path))
    for file in try report().files { #expect(file.annotations == files.first?.annotations) }
  }

  @Test func noSuchProcess() throws {
    let result = try inspect(["annotations", "--pid", "2147483647"])
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(
      result.errorOutput
        == "rebind-inspect: /proc/2147483647: No such process\n")
    let json = try inspect(["annotations", "--format", "json", "--pid", "2147483647"])
    let report = try json.report()
    #expect(report.files.map(\.error?.code) == ["not-found"])
  }

  /// A process whose exit status nobody has asked for.
  @Test(arguments: Subcommands.ofProcesses)
  func endedProcess(_ command: [String]) throws {
    var pid: pid_t = 0
    #expect(posix_spawnp(&pid, "true", nil, nil, [strdup("true"), nil], nil) == 0)
    // Waits for its end, and leaves it as it is.
    var info = siginfo_t()
    #expect(waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == 0)
    let result = try inspect(command + ["--pid", "\(pid)"])
    #expect(waitpid(pid, nil, 0) == pid)
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorOutput == "rebind-inspect: /proc/\(pid): the process has ended\n")
  }

  /// The father of the kernel's threads is the second process.
  @Test(
    .enabled(
      if: (try? String(contentsOfFile: "/proc/2/comm", encoding: .utf8)) == "kthreadd\n",
      "no thread of the kernel is in sight"))
  func kernelThread() throws {
    let result = try inspect(["images", "--format", "json", "--pid", "2"])
    #expect(result.status == 2)
    let message = "is a thread of the kernel, which has no memory of its own"
    #expect(result.errorOutput == "rebind-inspect: /proc/2: \(message)\n")
    #expect(try result.report().files.map(\.error?.code) == ["kernel-thread"])
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to become somebody else"))
  func anotherUser() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program))
    let process = try WaitingProcess(built.url)
    // One who may open any file, as the command itself may be in a folder of root's.
    let capabilities = "-all,+dac_override"
    let result = try run(
      "setpriv",
      [
        "--reuid", "65534", "--clear-groups", "--inh-caps=\(capabilities)",
        "--ambient-caps=\(capabilities)", inspectPath, "annotations", "--pid", "\(process.id)",
      ])
    #expect(result.status == 2)
    #expect(
      result.errorOutput == "rebind-inspect: /proc/\(process.id)/maps: Permission denied\n")
  }
}
