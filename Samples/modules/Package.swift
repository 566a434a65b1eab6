// swift-tools-version: 6.3
import PackageDescription

let swiftDependencies: [Target.Dependency] = [
  .product(name: "ModuleKit", package: "ModuleKit"),
  .product(name: "RebindDynamic", package: "Rebind"),
  .product(name: "RebindMacros", package: "Rebind"),
]

let package = Package(
  name: "modules",
  products: [
    .executable(name: "modules", targets: ["modules"]),
    .library(name: "WeatherPlugin", type: .dynamic, targets: ["WeatherPlugin"]),
  ],
  dependencies: [
    .package(path: "ModuleKit"),
    .package(name: "Rebind", path: "../..", traits: ["Macros"]),
  ],
  targets: [
    .executableTarget(name: "modules", dependencies: swiftDependencies),
    .target(name: "WeatherPlugin", dependencies: swiftDependencies),
  ],
  swiftLanguageModes: [.v6]
)
