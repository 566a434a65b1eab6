import Rebind
import TestSupport

private typealias GetParent = @convention(c) () -> pid_t
private typealias Open = @convention(c) (UnsafePointer<CChar>, CInt, mode_t) -> CInt

private enum Hooks {
  static let getParent = Rebinding<GetParent>("getppid")
  static let second = Rebinding<GetParent>("getppid")
  static let open = Rebinding<Open>("open")
  nonisolated(unsafe) static var calls = 0
}

private enum Variable {
  nonisolated(unsafe) static var hook = Rebinding<GetParent>("getppid")
}

/// The Swift API. Tests that patch memory run in a child process, as exit tests.
@Suite(.measured) struct RebindingTests {
  @Test func appliesAndRestores() async {
    await #expect(processExitsWith: .success) {
      let expected = getppid()
      let report = try Hooks.getParent.apply {
        Hooks.calls += 1
        return Hooks.getParent.original() + 1
      }
      try #require(report.changedSlots >= 1 && Hooks.getParent.isActive)
      try #require(getppid() == expected + 1 && Hooks.calls == 1)
      try #require(Hooks.getParent.original() == expected && Hooks.calls == 1)
      let restored = try Hooks.getParent.restore()
      try #require(restored.changedSlots == report.changedSlots && !Hooks.getParent.isActive)
      try #require(getppid() == expected && Hooks.calls == 1)
    }
  }

  /// One that is not static has its state apart: the core must not write to where it was.
  @Test func mayMoveWhileItIsActive() async {
    await #expect(processExitsWith: .success) {
      func apply() throws -> Rebinding<GetParent> {
        let local = Rebinding<GetParent>("getppid")
        try local.apply { 5 }
        return local
      }
      let expected = getppid()
      let moved = try apply()
      let (original, isActive) = (moved.original(), moved.isActive)
      try #require(getppid() == 5 && original == expected && isActive)
      try Hooks.second.apply { 6 }
      _ = try moved.restore()
      try #require(getppid() == 6 && Hooks.second.original() == expected)
    }
  }

  /// The core would write to where it was.
  @Test(arguments: [true, false])
  func isNotReplacedWhileItIsActive(isActive: Bool) async {
    await #expect(processExitsWith: isActive ? .failure : .success) { [isActive] in
      try Variable.hook.apply { 5 }
      if !isActive { _ = try Variable.hook.restore() }
      Variable.hook = Rebinding<GetParent>("getpgrp")
      let original = Variable.hook.original()
      try #require(original == getpgrp())
    }
  }

  @Test func originalIsCallableBeforeApply() {
    #expect(Rebinding<GetParent>("getppid").original() == getppid())
  }

  /// Two rebindings of one symbol form a chain, and either may go first.
  @Test(arguments: [true, false])
  func restoresInAnyOrder(newestFirst: Bool) async {
    await #expect(processExitsWith: .success) { [newestFirst] in
      let expected = getppid()
      try Hooks.getParent.apply { Hooks.getParent.original() + 10 }
      try Hooks.second.apply { Hooks.second.original() + 100 }
      try #require(getppid() == expected + 110)
      if newestFirst { _ = try Hooks.second.restore() } else { _ = try Hooks.getParent.restore() }
      try #require(getppid() == expected + (newestFirst ? 10 : 100))
      if newestFirst { _ = try Hooks.getParent.restore() } else { _ = try Hooks.second.restore() }
      try #require(getppid() == expected)
    }
  }

  @Test func applyingTwiceIsAnError() async {
    await #expect(processExitsWith: .success) {
      try Hooks.getParent.apply { 1 }
      let error = #expect(throws: RebindError.self) { try Hooks.getParent.apply { 2 } }
      #expect(error?.code == .alreadyActive)
      #expect(error?.description.contains("restore it first") == true)
      try #require(getppid() == 1)
    }
  }

  @Test func unknownSymbolChangesNothing() async {
    await #expect(processExitsWith: .success) {
      let missing = Rebinding<GetParent>("rebind_no_such_function")
      let error = #expect(throws: RebindError.self) { try missing.apply { 0 } }
      try #require(error?.code == .undefined)
      if missing.isActive { fatalError("it has failed") }
      let report = try missing.apply(mayComeLater: true) { 0 }
      try #require(report.changedSlots == 0 && report.changedImages == 0)
      try #require(report.isPending && report.description.contains("pending"))
      if !missing.isActive { fatalError("it is pending") }
    }
  }

  /// Only callers that are bound to the version and the library are rebound.
  @Test func selectsByVersionAndLibrary() async {
    await #expect(processExitsWith: .success) {
      for (version, library, isSelected) in [
        (nil, "libc.so.6", true), (nil, "libm.so.6", false), ("NO_SUCH_1.0", nil, false),
        ("NO_SUCH_1.0", "libc.so.6", false),
      ] as [(String?, String?, Bool)] {
        let rebinding = Rebinding<GetParent>("getppid", version: version, library: library)
        let report = try rebinding.apply(mayComeLater: true) { 1 }
        try #require((report.changedSlots > 0) == isSelected && (getppid() == 1) == isSelected)
        _ = try rebinding.restore()
        try #require(getppid() != 1)
      }
    }
  }

  @Test func emptyNameIsAnError() {
    let error = #expect(throws: RebindError.self) { try Rebinding<GetParent>("").apply { 0 } }
    #expect(error?.code == .emptyName)
    #expect(error?.description.contains("the name is empty") == true)
    let zero = #expect(throws: RebindError.self) {
      try Rebinding<GetParent>("getppid\0x").apply { 0 }
    }
    #expect(zero?.code == .invalidArgument && getppid() != 0)
  }

  @Test func typeThatIsNoCFunctionIsRefused() async {
    await #expect(processExitsWith: .failure) { _ = Rebinding<Int>("getppid").original }
  }
}
