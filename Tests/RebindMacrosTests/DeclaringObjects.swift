import Synchronization
import TestSupport

/// Object files that declare annotations in Swift and in C, with what they have to be linked
/// with: compiled once for each level of optimization.
struct DeclaringObjects: Sendable {
  /// An option of swiftc.
  enum Level: String, CaseIterable {
    case debug = "-Onone"
    case release = "-O"
  }

  private let directory: TemporaryDirectory
  var folder: URL { directory.url }
  /// Two files of Swift, one of C, RebindAnnotations and CRebindAnnotations.
  let objects = ["services", "more", "declaring", "RebindAnnotations", "index"].map { "\($0).o" }
  /// A program that prints its own records.
  let main = ["main.o", "reading.o"]

  private static let compiled = Mutex<[Level: Self]>([:])

  /// Links to them, in a folder for one test: so it has always the same files when more is built there.
  static func compiled(_ level: Level) throws -> Self {
    let objects = try compiled.withLock { compiled in
      if let objects = compiled[level] { return objects }
      let objects = try Self(level)
      compiled[level] = objects
      return objects
    }
    return try Self(linksTo: objects)
  }

  private init(linksTo objects: Self) throws {
    directory = try TemporaryDirectory()
    directory.keepUntilExit()
    for name in try FileManager.default.contentsOfDirectory(atPath: objects.folder.path) {
      try FileManager.default.linkItem(
        at: objects.folder.appending(path: name), to: folder.appending(path: name))
    }
  }

  static let services = """
    import RebindMacros

    @Annotated(group: "linked", key: "mail", priority: 3)
    final class Mail: AnnotationCreatable {
      init() {}

      @Annotated(group: "linked", key: "folder", value: "in a type")
      struct Folder {}

      #annotate("linked", "static", priority: -2_147_483_648)
    }
    #annotate("linked", "plain", value: "äöü")
    #annotate("linked", "factory", priority: 0x10) { [1, 2] }
    """

  static let more = """
    import RebindMacros

    @Annotated(group: "linked", key: "more", priority: +2)
    enum More {}
    """

  /// Of 56 bytes: a compiler may want to align it to 32.
  static let declaring = """
    #include <RebindAnnotations.h>

    REBIND_ANNOTATE_VALUE(linked, "c", "so long that it is aligned", 1)
    """

  /// The records of all images that are linked from these.
  static let expected: Set = [
    "linked mail '' 3", "linked folder 'in a type' 0", "linked static '' -2147483648",
    "linked plain 'äöü' 0", "linked factory '' 16", "linked more '' 2",
    "linked c 'so long that it is aligned' 1",
  ]

  private init(_ level: Level) throws {
    directory = try TemporaryDirectory()
    let sources = Places.package.appending(path: "Sources")
    let reader = Places.fixture("annotated-package/Sources")
    for (name, text) in [
      ("services.swift", Self.services), ("more.swift", Self.more), ("declaring.c", Self.declaring),
    ] {
      try Data("\(text)\n".utf8).write(to: folder.appending(path: name))
    }
    let flags =
      [level.rawValue, "-parse-as-library", "-swift-version", "6", "-c"] + macroFlags + includeFlags
    let annotations = sources.appending(path: "RebindAnnotations")
    try swiftc(
      [level.rawValue, "-wmo", "-parse-as-library", "-c", "-module-name", "RebindAnnotations"]
        + ["-o", "RebindAnnotations.o"]
        + FileManager.default.contentsOfDirectory(atPath: annotations.path)
        .filter { $0.hasSuffix(".swift") }.sorted().map { annotations.appending(path: $0).path })
    try swiftc(flags + ["-module-name", "declaring", "services.swift", "more.swift"])
    try swiftc(
      [level.rawValue, "-swift-version", "6", "-c", "-module-name", "main"] + includeFlags
        + ["-Xcc", "-I", "-Xcc", reader.appending(path: "Reading/include").path]
        + ["-Xcc", "-I", "-Xcc", sources.appending(path: "CRebind/include").path]
        + [reader.appending(path: "annotated/main.swift").path])
    try cc([
      level == .debug ? "-O0" : "-O2", "-std=gnu11", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c",
      "-ffunction-sections", "-fdata-sections",
      "-I", sources.appending(path: "CRebindAnnotations/include").path,
      "-I", sources.appending(path: "CRebind/include").path,
      "-I", reader.appending(path: "Reading/include").path,
      "declaring.c", sources.appending(path: "CRebindAnnotations/index.c").path,
      reader.appending(path: "Reading/reading.c").path,
    ])
  }

  private var includeFlags: [String] { ["-I", Places.products.appending(path: "Modules").path] }

  /// Runs swiftc in the objects' folder.
  func swiftc(_ arguments: [String]) throws {
    try compile(Compiler("swiftc"), arguments, in: folder)
  }

  /// Runs gcc in the objects' folder.
  func cc(_ arguments: [String]) throws { try compile(.gcc, arguments, in: folder) }
}
