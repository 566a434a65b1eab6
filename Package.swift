// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Set where this package itself is checked. On a user's machine, and in the CI of those
/// who depend on it, a newer compiler's new warning must not break the build.
let checksWarnings = Context.environment["REBIND_CHECKS_WARNINGS"].map { !$0.isEmpty } ?? false

/// False where the compiler's options name a plug-in that is built already, as in the tests of the
/// samples: they do not build swift-syntax again.
let buildsMacroPlugin = Context.environment["REBIND_HAS_MACRO_PLUGIN"].map(\.isEmpty) ?? true

let cSettings: [CSetting] =
  [.enableWarning("all"), .enableWarning("extra")]
  + (checksWarnings ? [.treatAllWarnings(as: .error)] : [])

let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Set where the interface that other systems have is built and tested on Linux.
let isElsewhere = Context.environment["REBIND_ELSEWHERE"].map { !$0.isEmpty } ?? false

let swiftSettings =
  features + (checksWarnings ? [.treatAllWarnings(as: .error)] : [])
  + (isElsewhere ? [.define("REBIND_ELSEWHERE")] : [])

/// Without the trait, the compiler warns that it finds no plug-in for the macros.
let macroSettings =
  features + (checksWarnings ? [.treatAllWarnings(as: .error, .when(traits: ["Macros"]))] : [])

let package = Package(
  name: "Rebind",
  // `Duration`, and generic types with parameter packs, in the interface that other systems have.
  platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
  products: [
    .library(name: "Rebind", targets: ["Rebind"]),
    .library(name: "RebindRegistry", targets: ["RebindRegistry"]),
    // All three, for a host and plug-ins that share Swift types: in place of them.
    .library(
      name: "RebindDynamic", type: .dynamic,
      targets: ["Rebind", "RebindRegistry", "RebindConfiguration"]),
    .library(name: "RebindConfiguration", targets: ["RebindConfiguration"]),
    .library(name: "CRebind", targets: ["CRebind"]),
    .library(name: "RebindTesting", targets: ["RebindTesting"]),
    .library(name: "RebindCounting", targets: ["RebindCounting"]),
    .library(name: "RebindFiles", targets: ["RebindFiles"]),
    .library(name: "RebindAnnotations", targets: ["RebindAnnotations"]),
    .library(name: "RebindMacros", targets: ["RebindMacros"]),
    .library(name: "CRebindAnnotations", targets: ["CRebindAnnotations"]),
    .executable(name: "rebind-inspect", targets: ["rebind-inspect"]),
    .executable(name: "rebind-run", targets: ["rebind-run"]),
  ],
  traits: [
    .trait(name: "Macros", description: "@Annotated and #annotate, which need swift-syntax"),
    .trait(
      name: "Commands",
      description: "rebind-inspect and rebind-run, which need swift-argument-parser"),
    // All, so that a clone builds and tests everything. Dependents choose.
    .default(enabledTraits: ["Macros", "Commands"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .target(name: "CLibelf", cSettings: cSettings),
    .target(
      name: "CRebind", cSettings: [.headerSearchPath(".")] + cSettings),
    .target(name: "ELFVocabulary", dependencies: ["CRebind"], swiftSettings: swiftSettings),
    .target(
      name: "Rebind", dependencies: ["CRebind", "ELFVocabulary"], swiftSettings: swiftSettings),
    .target(
      name: "RebindRegistry", dependencies: ["CRebind", "Rebind"], swiftSettings: swiftSettings),
    .target(
      name: "RebindConfiguration", dependencies: ["RebindRegistry"], swiftSettings: swiftSettings),
    .target(name: "CRebindAnnotations", cSettings: cSettings),
    .target(name: "CRebindReach", cSettings: cSettings),
    .target(name: "CRebindStubs", cSettings: cSettings),
    .target(
      name: "CRebindTesting", dependencies: ["CRebindReach", "CRebindStubs"], cSettings: cSettings),
    .target(name: "FaultVocabulary", swiftSettings: swiftSettings),
    .target(
      name: "RebindTesting",
      dependencies: [
        "CRebind", "CRebindReach", "CRebindStubs", "CRebindTesting", "FaultVocabulary",
        "RebindCounting",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "CRebindCounting", dependencies: ["CRebind", "CRebindReach"], cSettings: cSettings),
    .target(
      name: "RebindCounting", dependencies: ["CRebind", "CRebindCounting", "CRebindReach"],
      swiftSettings: swiftSettings),
    .target(
      name: "RebindFiles", dependencies: ["CLibelf", "CRebind", "ELFVocabulary", "Rebind"],
      swiftSettings: swiftSettings),
    .target(
      name: "ELFInspection", dependencies: ["CLibelf", "CRebind", "Rebind", "RebindFiles"],
      swiftSettings: swiftSettings),
    .target(
      name: "RebindAnnotations", dependencies: ["CRebindAnnotations"],
      swiftSettings: swiftSettings),
    .target(
      name: "RebindMacros",
      dependencies: ["RebindAnnotations"]
        + (buildsMacroPlugin
          ? [.target(name: "RebindMacrosPlugin", condition: .when(traits: ["Macros"]))] : []),
      swiftSettings: macroSettings),
    .target(name: "CRebindVersion", cSettings: cSettings),
    .executableTarget(
      name: "rebind-inspect",
      dependencies: [
        "CLibelf", "CRebindVersion", "ELFInspection", "Rebind", "RebindFiles",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Commands"])),
      ],
      swiftSettings: swiftSettings,
      // __cxa_demangle, in whatever way the standard library is linked.
      linkerSettings: [.linkedLibrary("stdc++")]),
    // The layout of a file. The library that rebind-run preloads lies beside it, and is no target:
    // Scripts/run-library links it without Swift's libraries.
    .systemLibrary(name: "CRebindRun", path: "Sources/CRebindRun/include"),
    .executableTarget(
      name: "rebind-run",
      dependencies: [
        "CRebindRun", "CRebindVersion", "FaultVocabulary", "RebindFiles",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Commands"])),
      ],
      swiftSettings: swiftSettings,
      linkerSettings: [.linkedLibrary("stdc++")]),

    .executableTarget(
      name: "open-close", dependencies: ["Rebind"],
      path: "Samples/open-close/Swift", swiftSettings: swiftSettings),
    .executableTarget(
      name: "open-close-c", dependencies: ["CRebind"],
      path: "Samples/open-close/C", cSettings: cSettings),

    .target(
      name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftSettings),
    .testTarget(
      name: "CRebindTests", dependencies: ["TestSupport"], swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindTests",
      dependencies: [
        "CRebind", "Rebind", "RebindConfiguration", "RebindMacros", "RebindRegistry",
        "TestSupport",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindTestingTests",
      dependencies: ["CRebind", "Rebind", "RebindCounting", "RebindTesting", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindCountingTests", dependencies: ["Rebind", "RebindCounting", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindFilesTests",
      dependencies: ["ELFInspection", "Rebind", "RebindFiles", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindMacrosTests",
      dependencies: ["CRebind", "Rebind", "RebindMacros", "RebindRegistry", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindInspectTests",
      dependencies: ["TestSupport", "rebind-inspect", "ELFInspection", "RebindFiles"],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindRunTests", dependencies: ["TestSupport", "rebind-run"],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)

if buildsMacroPlugin {
  // A dependent's other packages may pin any version: a package has one version of swift-syntax.
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"))
  package.targets.append(
    .macro(
      name: "RebindMacrosPlugin",
      dependencies: [
        "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftIfConfig", "SwiftParser", "SwiftSyntax",
        "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
      ].map {
        .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
      },
      swiftSettings: swiftSettings))
}
