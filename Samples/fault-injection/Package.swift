// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "fault-injection",
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(name: "Settings"),
    .testTarget(
      name: "SettingsTests",
      dependencies: ["Settings", .product(name: "RebindTesting", package: "Rebind")],
      exclude: ["example.settings"]),
  ],
  swiftLanguageModes: [.v6]
)
