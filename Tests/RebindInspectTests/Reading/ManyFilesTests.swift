import TestSupport

/// Many files are read by several threads, and nothing of what is printed tells so.
@Suite(.needsCommands, .measured, .notInCheck) struct ManyFilesTests {
  private static let golden = GoldenTests.inputs.map {
    GoldenTests.folder.appending(path: $0).path
  }

  private func inspect(_ arguments: [String], threads: Int) throws -> ProcessResult {
    try bash(
      #"export REBIND_INSPECT_THREADS="$1"; shift; "$0" "$@" 2>&1"#, ["\(threads)"] + arguments)
  }

  /// Lines on standard error stay where they were, and so do headings and separators.
  @Test(
    arguments: ["text", "json", "jsonl"],
    [["symbols"], ["slots"], ["section", ".shstrtab", "--as", "strings"]])
  func theOutputIsThatOfOneThread(format: String, command: [String]) throws {
    let large = try InstalledFile.libswiftCore.path
    let paths =
      ["/nowhere"] + Self.golden + [large, "/dev/null", large, "/etc/passwd", large]
      + Self.golden + Self.golden + [large, "/nowhere"]
    let arguments = command + ["--format", format] + paths
    let expected = try inspect(arguments, threads: 1)
    #expect(expected.status == 2 && expected.standardOutput.count > 10_000)
    for threads in [2, 5] {
      let result = try inspect(arguments, threads: threads)
      #expect(result.status == 2)
      #expect(result.standardOutput == expected.standardOutput)
    }
  }

  /// A problem that is found in a file that is shown comes behind it.
  @Test func problemsStayWithTheirFiles() throws {
    let arguments = ["annotations", "--expect", "7"] + Self.golden + Self.golden + Self.golden
    let expected = try inspect(arguments, threads: 1)
    #expect(expected.output.contains(" annotations, not 7: "))
    #expect(try inspect(arguments, threads: 4).output == expected.output)
  }

  /// The threads are there, and wait while nobody reads what they print.
  @Test func threadsAreUsed() throws {
    let path = try InstalledFile.libswiftCore.path
    let script = #"""
      exec 3< <(exec "$0" symbols "$@")
      pid=$!
      read -r -u 3 line
      # They are started one after the other. A busy machine looks slowly, too.
      for look in {1..2000}; do
        count=$(ls "/proc/$pid/task" | wc -l)
        [ "$count" -lt "${REBIND_INSPECT_THREADS:-1}" ] || break
      done
      echo "$count"
      """#
    for threads in [1, 3] {
      let result = try bash(
        "export REBIND_INSPECT_THREADS=\(threads)\n" + script,
        Array(repeating: path, count: 12))
      #expect(result.output == "\(threads)\n")
    }
    // By itself, one processor is one thread, and so are few small files.
    let alone = try bash(
      #"set -- "$@" "$@" "$@" "$@"; taskset -c "$(taskset -cp $$ | grep -o '[0-9]*$')" bash -c '"#
        + script + #"' "$0" "$@""#,
      Array(repeating: path, count: 4))
    #expect(alone.output == "1\n")
  }

  /// Ten times the files, or four times those where `isQuick`, take a fifth more memory at most. The
  /// witness is the kernel.
  @Test func memoryOfManyFiles() throws {
    let commands = [
      ["who-imports", "malloc"], ["requires", "--format", "rows", "--files-from"],
      ["symbols", "--format", "csv", "--files-from"],
    ]
    let fixture = DependencyFixture()
    let library = try fixture.foreign(
      "library.so", target: "x86_64-linux-gnu",
      source: "void *malloc(unsigned long); void *f(void) { return malloc(1); }",
      flags: ["-shared"])
    let script = #"""
      import os, sys
      library, folder, program, few, most, *commands = sys.argv[1:]
      data = open(library, "rb").read()
      for count in int(few), int(most):
          place = f"{folder}/{count}"
          os.mkdir(place)
          paths = [f"{place}/a-library-with-a-long-name-{i:05}.so" for i in range(count)]
          for path in paths:
              with open(path, "wb") as file:
                  file.write(data)
          with open(f"{folder}/list-{count}", "w") as file:
              file.write("\n".join(paths))

      def peak(command, count):
          words = command.split(" ")
          words.append(f"{folder}/{'list-' * (words[-1] == '--files-from')}{count}")
          child = os.fork()
          if child == 0:
              os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
              os.execv(program, [program, *words])
          _, status, usage = os.wait4(child, 0)
          assert status == 0
          return usage.ru_maxrss

      for command in commands:
          peaks = [float("inf")] * 2
          # Threads that wait for a processor keep what they have read.
          for _ in range(3):
              peaks = [min(peak(command, count), known) for count, known in zip((few, most), peaks)]
              if peaks[1] <= 1.2 * peaks[0]: break
          print(*peaks)
      """#
    let result = try run(
      Places.python,
      ["-c", script, library, fixture.directory.url.path, inspectPath]
        + (isQuick ? ["500", "2000"] : ["1000", "10000"])
        + commands.map { $0.joined(separator: " ") })
    let peaks = result.output.split(separator: "\n").map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    try #require(
      peaks.count == commands.count && peaks.allSatisfy { $0.count == 2 }, "\(result.errorOutput)")
    for (command, peaks) in zip(commands, peaks) {
      #expect(peaks[1] <= 1.2 * peaks[0], "\(command)")
    }
  }

  @Test func aClosedPipeEndsAllThreads() throws {
    let path = try InstalledFile.libswiftCore.path
    let result = try bash(
      #"set -o pipefail; export REBIND_INSPECT_THREADS=3; "$0" "$@" | head -1"#,
      Array(repeating: path, count: 12))
    #expect(result.status == 141 && result.errorOutput.isEmpty)
  }

  @Test func aFullDiskIsOneError() throws {
    let path = try InstalledFile.libc.path
    let result = try bash(
      #"export REBIND_INSPECT_THREADS=3; "$0" "$@" > /dev/full"#, Array(repeating: path, count: 40))
    #expect(result.status == 2)
    #expect(result.errorOutput == "rebind-inspect: standard output: No space left on device\n")
  }

  /// The threads are in the middle of the file when it shrinks, and one says so.
  @Test func aFileThatShrinksIsOneError() throws {
    let scratch = try TemporaryDirectory()
    let copy = scratch.url.appending(path: "copy").path
    try FileManager.default.copyItem(atPath: try InstalledFile.libswiftCore.path, toPath: copy)
    let result = try bash(
      #"""
      set -o pipefail; export REBIND_INSPECT_THREADS=3
      "$0" "$@" | { read -r line; sleep 0.5; truncate -s 0 "$1"; cat > /dev/null; }
      """#, Array(repeating: copy, count: 24))
    #expect(result.status == 2 && !result.wasSignalled)
    let lines = result.errorOutput.split(separator: "\n")
    #expect(lines.first.map { $0.hasPrefix("rebind-inspect: \(copy): ") } == true)
    #expect(
      lines.filter { $0.contains("became shorter while it was read") }.count <= 1)
  }
}
