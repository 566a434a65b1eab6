import TestSupport

/// `Scripts/publish` in a repository that has what it reads, where packages and commands are built by stubs.
@Suite(.measured, .notInCheck) struct PublishTests {
  private struct Repository {
    let folder: TemporaryDirectory

    init() throws {
      folder = try TemporaryDirectory()
      try shell(
        """
        mkdir -p Scripts debian Documentation/Areas Sources
        (cd "$0" && cp --parents CHANGELOG.md LICENSE VERSION .gitignore debian/changelog \
          Scripts/publish Scripts/path Scripts/amalgamate Documentation/Areas/Core.md "$OLDPWD")
        cp -r "$0/Sources/CRebind" Sources
        printf '#!/bin/sh\necho package >"$1/a.deb"\n' >Scripts/debian-packages
        printf 'release:\n\t@mkdir -p .build/rebind-inspect/bin .build/rebind-run/bin; \
        cp /bin/true .build/rebind-inspect/bin; cp /bin/true .build/rebind-run/bin; ${ENDING}\n' >Makefile
        chmod +x Scripts/debian-packages && mkdir .build && git init --quiet && git add .
        """)
      try commit()
    }

    @discardableResult func shell(_ script: String) throws -> String {
      let result = try run(
        "sh", ["-e", "-c", script, Places.package.path], currentDirectory: folder.url)
      try #require(result.succeeded, "\(result.errorOutput)")
      return result.output
    }

    func commit() throws {
      try shell(
        """
        git -c user.name=a -c user.email=a@b commit --quiet --allow-empty --all --message all
        git rev-parse HEAD >.build/tested
        """)
    }

    /// - Parameter ending: A command at the end of the build, as make writes it.
    func publish(_ date: String, ending: String = "") throws -> ProcessResult {
      try run(
        folder.url.appending(path: "Scripts/publish").path, [date],
        environment: ["ENDING": ending])
    }
  }

  @Test func twoRunsMakeTheSame() throws {
    let repository = try Repository()
    var sums: [String] = []
    for _ in 1...2 {
      let result = try repository.publish("2027-01-31")
      #expect(result.succeeded, "\(result.errorOutput)")
      sums.append(try repository.shell("cat dist/SHA256SUMS"))
      let changed = try repository.shell(
        "git diff --stat | wc -l; head -n 99 debian/changelog CHANGELOG.md")
      let version = try Places.version
      #expect(changed.contains("## \(version) (2027-01-31)"))
      #expect(changed.contains("  Sun, 31 Jan 2027 "))
      try repository.shell("git checkout --quiet .")
    }
    #expect(sums[0] == sums[1] && sums[0].contains(".tar.gz") && sums[0].contains("a.deb"))
    #expect(try repository.shell("cat dist/notes.md").count > 500)
  }

  /// It says why, and changes nothing.
  @Test(arguments: [
    ("2027-02-31", "true", "a date is written as 2027-01-31"),
    ("2027-01-31", "echo 0.2 >VERSION", "VERSION is no version as 0.1.0: 0.2"),
    ("2027-01-31", "git tag 9.0.0", "9.0.0 is tagged already: VERSION names a later one"),
    ("2027-01-31", "git tag $(cat VERSION)", "is tagged already: VERSION names the next one"),
    ("2027-01-31", "echo 8.0.0 >VERSION", "debian/changelog begins with another version"),
    ("2027-01-31", "sed -i '/^## Unreleased/,$d' CHANGELOG.md", "has no section Unreleased"),
    ("2027-01-31", "sed -i '/^## Unreleased/q' CHANGELOG.md", "section Unreleased is empty"),
  ])
  func refuses(date: String, change: String, reason: String) throws {
    let repository = try Repository()
    try repository.shell(change)
    try repository.commit()
    let result = try repository.publish(date)
    #expect(!result.succeeded && result.errorOutput.contains(reason), "\(result.errorOutput)")
    #expect(try repository.shell("git status --porcelain") == "")
  }

  /// A folder of the core that has no floor is not left out in silence.
  @Test func amalgamationKnowsEachFolder() throws {
    let repository = try Repository()
    try repository.shell("mkdir Sources/CRebind/attic && echo >Sources/CRebind/attic/old.c")
    let script = repository.folder.url.appending(path: "Scripts/amalgamate").path
    let result = try run(script, [repository.folder.url.appending(path: "one").path])
    #expect(!result.succeeded && result.errorOutput.contains("Core.md has no floor for attic"))
  }

  @Test(arguments: [("false", 2), ("kill -TERM $$(cut -d' ' -f4 /proc/$$PPID/stat)", 130)])
  func leavesACommitAloneIfItIsInterrupted(ending: String, status: CInt) throws {
    let repository = try Repository()
    let result = try repository.publish("2027-01-31", ending: ending)
    #expect(result.status == status, "\(result.errorOutput)")
    #expect(try repository.shell("git status --porcelain") == "")
  }

  @Test func wantsATestedCommit() throws {
    let repository = try Repository()
    try repository.shell("echo >>LICENSE")
    let changed = try repository.publish("2027-01-31")
    #expect(changed.errorOutput.contains("commit what has changed first"))
    try repository.shell("git checkout --quiet LICENSE; echo none >.build/tested")
    let untested = try repository.publish("2027-01-31")
    #expect(untested.errorOutput.contains("make test-all has not passed on this commit"))
  }
}
