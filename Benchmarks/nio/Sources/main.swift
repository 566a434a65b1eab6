/// Runs the test of swift-nio that is built with it.

/// The name that swift-nio's bootstrap calls.
@_cdecl("swift_main") public func runTest() { run(identifier: "") }

runTest()
