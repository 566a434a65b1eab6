// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "injection",
  dependencies: [.package(name: "Rebind", path: "../..", traits: ["Macros"])],
  targets: [
    .target(name: "Injection", dependencies: [.product(name: "RebindRegistry", package: "Rebind")]),
    .executableTarget(
      name: "injection-demo",
      dependencies: ["Injection", .product(name: "RebindMacros", package: "Rebind")]),
  ],
  swiftLanguageModes: [.v6]
)
