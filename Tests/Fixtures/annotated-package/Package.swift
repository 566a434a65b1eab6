// swift-tools-version: 6.3
import PackageDescription

// Declares without macros, so that swift-syntax is not built.
let package = Package(
  name: "annotated-package",
  products: [
    .executable(name: "annotated", targets: ["annotated"]),
    .library(name: "AnnotatedLibrary", type: .dynamic, targets: ["Declaring"]),
  ],
  dependencies: [.package(name: "Rebind", path: "../../..", traits: [])],
  targets: [
    .target(
      name: "CDeclaring", dependencies: [.product(name: "RebindAnnotations", package: "Rebind")]),
    .target(
      name: "Declaring", dependencies: [.product(name: "RebindAnnotations", package: "Rebind")]),
    .target(name: "Reading", dependencies: [.product(name: "CRebind", package: "Rebind")]),
    .executableTarget(
      name: "annotated",
      dependencies: [
        "CDeclaring", "Declaring", "Reading", .product(name: "Rebind", package: "Rebind"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
