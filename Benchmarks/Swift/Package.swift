// swift-tools-version: 6.3
import PackageDescription

/// Measures the Swift API beside the C one: `make -C Benchmarks swift`.
let package = Package(
  name: "RebindBenchmarks",
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(
      name: "CallsInC", dependencies: [.product(name: "CRebind", package: "Rebind")]),
    .executableTarget(
      name: "typed-calls",
      dependencies: ["CallsInC", .product(name: "Rebind", package: "Rebind")]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
