// swift-tools-version: 6.3
import PackageDescription

// `run` lays the sources of swift-nio beside these, and says where Rebind is.
let tests = ["1000_addHandlers", "1000_getHandlers_sync", "1000_reqs_1_conn"]

let package = Package(
  name: "CountingNIO",
  dependencies: [
    .package(name: "Rebind", path: Context.environment["REBIND"]!, traits: []),
    .package(path: "Hooks"),
    .package(path: "swift-nio"),
  ],
  targets: tests.map { test in
    .executableTarget(
      name: "test_\(test)",
      dependencies: [
        .product(name: "NIOHooks", package: "Hooks"),
        .product(name: "RebindCounting", package: "Rebind"),
      ]
        + ["NIOCore", "NIOEmbedded", "NIOPosix", "NIOHTTP1"].map {
          .product(name: $0, package: "swift-nio")
        })
  },
  swiftLanguageModes: [.v5]
)
