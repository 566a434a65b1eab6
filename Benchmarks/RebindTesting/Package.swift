// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "RebindTestingBenchmarks",
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "rebind-testing-benchmark",
      dependencies: [.product(name: "RebindTesting", package: "Rebind")])
  ],
  swiftLanguageModes: [.v6]
)
