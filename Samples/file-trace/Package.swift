// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "file-trace",
  products: [
    .executable(name: "file-trace", targets: ["file-trace"]),
    .library(name: "FileTrace", type: .dynamic, targets: ["FileTrace"]),
  ],
  dependencies: [.package(name: "Rebind", path: "../..", traits: [])],
  targets: [
    .target(name: "CFileTrace"),
    .target(
      name: "FileTrace",
      dependencies: ["CFileTrace", .product(name: "Rebind", package: "Rebind")],
      linkerSettings: [
        .unsafeFlags([
          // A traced program need not find, nor share, a Swift standard library.
          "-static-stdlib",
          // Preloaded libraries come first in every symbol lookup, so this one exports nothing.
          "-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map",
        ])
      ]),
    .executableTarget(name: "file-trace"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
