// swift-tools-version: 6.3
import PackageDescription

// A package of its own, as the targets of one package are linked statically to each other:
// the program and its plug-ins would have a copy each.
let package = Package(
  name: "ModuleKit",
  products: [.library(name: "ModuleKit", type: .dynamic, targets: ["ModuleKit"])],
  dependencies: [.package(name: "Rebind", path: "../../..", traits: [])],
  targets: [
    .target(name: "CModuleKit"),
    .target(
      name: "ModuleKit",
      dependencies: ["CModuleKit", .product(name: "RebindDynamic", package: "Rebind")]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
