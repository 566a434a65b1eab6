// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "network-double",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(name: "Greeting"),
    .testTarget(
      name: "GreetingTests",
      dependencies: ["Greeting", .product(name: "RebindTesting", package: "Rebind")]),
  ],
  swiftLanguageModes: [.v6]
)
