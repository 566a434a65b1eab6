// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "allocation-budget",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(name: "Outline"),
    .testTarget(
      name: "OutlineTests",
      dependencies: [
        "Outline",
        .product(name: "RebindCounting", package: "Rebind"),
        .product(name: "RebindTesting", package: "Rebind"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
