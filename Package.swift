// swift-tools-version: 6.3
import CompilerPluginSupport
import PackageDescription

/// Set where this package itself is checked. On a user's machine, and in the CI of those
/// who depend on it, a newer compiler's new warning must not break the build.
let checksWarnings = Context.environment["REBIND_CHECKS_WARNINGS"].map { !$0.isEmpty } ?? false

/// Not where the compiler's options name a plug-in that is built already, as where the samples are
/// tested: then nobody waits for swift-syntax.
let buildsMacroPlugin = Context.environment["REBIND_HAS_MACRO_PLUGIN"].map(\.isEmpty) ?? true

let cSettings: [CSetting] =
  [.enableWarning("all"), .enableWarning("extra")]
  + (checksWarnings ? [.treatAllWarnings(as: .error)] : [])

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (checksWarnings ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "Rebind",
  products: [
    .library(name: "Rebind", targets: ["Rebind"]),
    // Both, for a host and plug-ins that share Swift types: in place of the two.
    .library(
      name: "RebindDynamic", type: .dynamic, targets: ["Rebind", "RebindConfiguration"]),
    .library(name: "RebindConfiguration", targets: ["RebindConfiguration"]),
    .library(name: "CRebind", targets: ["CRebind"]),
    .library(name: "RebindTesting", targets: ["RebindTesting"]),
    .library(name: "RebindFiles", targets: ["RebindFiles"]),
    .library(name: "RebindAnnotations", targets: ["RebindAnnotations"]),
    .library(name: "RebindMacros", targets: ["RebindMacros"]),
    .library(name: "CRebindAnnotations", targets: ["CRebindAnnotations"]),
    .executable(name: "rebind-inspect", targets: ["rebind-inspect"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(
      name: "CLibelf", pkgConfig: "libelf", providers: [.apt(["libelf-dev"])]),
    .systemLibrary(
      name: "CLibffi", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .target(
      name: "CRebind", cSettings: [.headerSearchPath(".")] + cSettings),
    .target(name: "Rebind", dependencies: ["CRebind"], swiftSettings: swiftSettings),
    .target(
      name: "RebindConfiguration", dependencies: ["Rebind"], swiftSettings: swiftSettings),
    .target(name: "CRebindAnnotations", cSettings: cSettings),
    .target(name: "CRebindTesting", dependencies: ["CLibffi"], cSettings: cSettings),
    .target(
      name: "RebindTesting", dependencies: ["CRebind", "CRebindTesting"],
      swiftSettings: swiftSettings),
    .target(
      name: "RebindFiles", dependencies: ["CLibelf", "CRebind", "Rebind"],
      swiftSettings: swiftSettings),
    .target(
      name: "ELFInspection", dependencies: ["CLibelf", "CRebind", "Rebind", "RebindFiles"],
      swiftSettings: swiftSettings),
    .target(
      name: "RebindAnnotations", dependencies: ["CRebindAnnotations"],
      swiftSettings: swiftSettings),
    .target(
      name: "RebindMacros",
      dependencies: ["RebindAnnotations"] + (buildsMacroPlugin ? ["RebindMacrosPlugin"] : []),
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "rebind-inspect",
      dependencies: [
        "CLibelf", "ELFInspection", "Rebind", "RebindFiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swiftSettings,
      // __cxa_demangle, in whatever way the standard library is linked.
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
      dependencies: ["Rebind", "RebindConfiguration", "RebindMacros", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindTestingTests", dependencies: ["CRebind", "RebindTesting", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindFilesTests",
      dependencies: ["ELFInspection", "Rebind", "RebindFiles", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindMacrosTests",
      dependencies: ["CRebind", "Rebind", "RebindMacros", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "RebindInspectTests", dependencies: ["TestSupport", "rebind-inspect"],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)

if buildsMacroPlugin {
  // Built for those alone who use the product RebindMacros; SwiftPM fetches it for all.
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"))
  package.targets.append(
    .macro(
      name: "RebindMacrosPlugin",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      swiftSettings: swiftSettings))
}
