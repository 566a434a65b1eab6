// swift-tools-version: 6.3
import PackageDescription

/// swift-nio's own counter, unchanged, in a library of its own. In swift-nio's own test the program itself
/// defines malloc, so that its calls go through no slot.
let package = Package(
  name: "Hooks",
  products: [
    .library(
      name: "NIOHooks", type: .dynamic, targets: ["AtomicCounter", "HookedFunctions", "Bootstrap"])
  ],
  targets: [
    .target(name: "AtomicCounter"),
    .target(name: "HookedFunctions", dependencies: ["AtomicCounter"]),
    // Its main would start the test; ours does.
    .target(
      name: "Bootstrap", dependencies: ["HookedFunctions"],
      cSettings: [.define("main", to: "nio_bootstrap_main")]),
  ]
)
