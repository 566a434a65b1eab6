// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "repeatable-tests",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(name: "Gifts"),
    .testTarget(
      name: "GiftsTests",
      dependencies: ["Gifts", .product(name: "RebindTesting", package: "Rebind")]),
  ],
  swiftLanguageModes: [.v6]
)
