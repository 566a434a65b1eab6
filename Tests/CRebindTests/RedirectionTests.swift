import Foundation
import TestSupport
import Testing

/// Which definition of a symbol is redirected, and what the notice serves instead.
/// Each case is a fixture that checks by itself and prints one line.
@Suite struct RedirectionTests {
  static let bindings = ["-Wl,-z,lazy", "-Wl,-z,now"]

  /// The interposer as it may come before libc.
  enum Place: String, CaseIterable, Sendable {
    case preloaded, linked, program
  }

  @Test(arguments: Compiler.all, Place.allCases)
  func interposersReachTheNextFunction(compiler: Compiler, place: Place) throws {
    for binding in Self.bindings {
      let builder = try FixtureBuilder(compiler)
      var flags = [binding], libraries: [String] = [], arguments: [String] = []
      if place != .program {
        let library = try builder.buildLibrary(
          "libinterposer.so", from: "next-interposer.c",
          flags: ["-DLIBRARY", "-DINTERPOSER", binding])
        if place == .preloaded {
          arguments = [library.path]
        } else {
          flags += ["-Wl,--no-as-needed"]
          libraries = ["-linterposer", builder.runPath]
        }
      } else {
        flags += ["-DINTERPOSER", "-rdynamic"]
      }
      try expect(
        "led to the next\n",
        from: builder.build(
          "next-interposer", from: ["next-interposer.c"], flags: flags, libraries: libraries),
        arguments: arguments)
    }
  }

  @Test(arguments: Compiler.all, bindings)
  func definitionsInLocalScopesAreJudgedAnew(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    let libraries = try [
      builder.buildLibrary(
        "first.so", from: "local-definitions.c", flags: ["-DLIBRARY", "-DNUMBER=1", binding]),
      builder.buildLibrary(
        "second.so", from: "local-definitions.c", flags: ["-DLIBRARY", "-DNUMBER=2", binding]),
      builder.buildLibrary(
        "caller.so", from: "local-definitions.c", flags: ["-DCALLER", "-Wl,-z,lazy"]),
    ]
    try expect(
      "judged anew\n",
      from: builder.build("local-definitions", from: ["local-definitions.c"], flags: [binding]),
      arguments: libraries.map(\.path))
  }

  @Test(arguments: Compiler.all, bindings)
  func whatCannotBeRedirectedIsNoticed(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildLibrary("libkinds.so", from: "unseen-kinds.c", flags: ["-DLIBRARY"])
    let plugin = try builder.buildLibrary(
      "plugin.so", from: "unseen-kinds.c", flags: ["-DPLUGIN", binding])
    try expect(
      "served by the notice\n",
      from: builder.build(
        "unseen-kinds", from: ["unseen-kinds.c"], flags: ["-Wl,--no-as-needed"],
        libraries: ["-lkinds", builder.runPath]),
      arguments: [plugin.path])
  }

  @Test(arguments: Compiler.all)
  func whatIsBoundToItselfFirstIsServedWhenSeen(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let deep = try builder.buildLibrary(
      "deep.so", from: "other-scopes.c", flags: ["-DLIBRARY", "-DNUMBER=1"])
    let symbolic = try builder.buildLibrary(
      "symbolic.so", from: "other-scopes.c",
      flags: ["-DLIBRARY", "-DNUMBER=2", "-Wl,-Bsymbolic"])
    try expect(
      "served when seen\n", from: builder.build("other-scopes", from: ["other-scopes.c"]),
      arguments: [deep.path, symbolic.path])
  }

  @Test(arguments: Compiler.all, bindings)
  func noticeIsAskedForWhereItIsNeeded(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    let plugin = try builder.buildLibrary("plugin.so", from: "plugin.c", flags: [binding])
    let definer = try builder.buildLibrary(
      "definer.so", from: "notice-asked.c", flags: ["-DDEFINER"])
    try expect(
      "asked for where it is needed\n",
      from: builder.build("notice-asked", from: ["notice-asked.c"], flags: [binding]),
      arguments: [plugin.path, definer.path])
  }

  @Test(arguments: Compiler.all, bindings)
  func originalOfTwoVersionsIsTheDefaultOnes(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    let map = Places.fixtures.appending(path: "selection-library.map").path
    try builder.buildLibrary(
      "libversioned.so", from: "selection-library.c",
      flags: ["-DVERSIONED", "-Wl,--version-script=\(map)"])
    for (name, flags) in [("old", ["-DOLD_VERSION"]), ("new", [])] {
      try builder.buildLibrary(
        "lib\(name).so", from: "two-versions.c", flags: ["-DCALLER=call_\(name)", binding] + flags,
        libraries: ["-lversioned", builder.runPath])
    }
    try expect(
      "the default version\n",
      from: builder.build(
        "two-versions", from: ["two-versions.c"], flags: ["-Wl,--no-as-needed"],
        libraries: ["-lold", "-lnew", builder.runPath]))
  }

  @Test(arguments: Compiler.all)
  func threadsReachTheFunctionOfTheirLibrary(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    let libraries = try (1...2).map {
      try bench.library(
        "number\($0).so", "concurrent-definitions.c", flags: ["-DLIBRARY", "-DNUMBER=\($0)"])
    }
    let program = try bench.program("concurrent-definitions", "concurrent-definitions.c")
    try bench.expect(program, ["2"] + libraries, output: "each reached its own\n")
  }
}
