// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "blocking-calls",
  products: [.library(name: "BlockingCalls", type: .dynamic, targets: ["BlockingCalls"])],
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(
      name: "BlockingCalls",
      dependencies: [
        .product(name: "Rebind", package: "Rebind"),
        .product(name: "RebindTesting", package: "Rebind"),
      ]),
    // A program that knows nothing of the library.
    .executableTarget(name: "dozing"),
  ],
  swiftLanguageModes: [.v6]
)
