// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "fault-injection",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(name: "Settings"),
    .target(name: "Connections"),
    .testTarget(
      name: "SettingsTests",
      dependencies: ["Settings", .product(name: "RebindTesting", package: "Rebind")],
      exclude: ["example.settings"]),
    .testTarget(
      name: "ConnectionsTests",
      dependencies: ["Connections", .product(name: "RebindTesting", package: "Rebind")]),
  ],
  swiftLanguageModes: [.v6]
)
