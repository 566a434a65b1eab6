// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "CountingBenchmarks",
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(name: "AllocatingLoops", cSettings: [.unsafeFlags(["-fno-builtin"])]),
    .executableTarget(
      name: "counting-benchmark",
      dependencies: [
        "AllocatingLoops",
        .product(name: "RebindCounting", package: "Rebind"),
        .product(name: "RebindTesting", package: "Rebind"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
