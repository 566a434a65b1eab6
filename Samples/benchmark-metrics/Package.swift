// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "benchmark-metrics",
  dependencies: [
    .package(name: "Rebind", path: "../..", traits: []),
    // Without its traits, which bring preloaded libraries that count.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .target(
      name: "CountedMetrics",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "RebindCounting", package: "Rebind"),
      ]),
    .executableTarget(
      name: "Nodes",
      dependencies: ["CountedMetrics", .product(name: "Benchmark", package: "benchmark")],
      path: "Benchmarks/Nodes",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)
