import Dispatch
import Rebind
import Synchronization
import TestSupport

private typealias GetParent = @convention(c) () -> pid_t

private enum Hooks {
  static let getParent = Rebinding<GetParent>("getppid")
  static let seen = Mutex<[String]>([])
}

/// A predicate that stands still.
private enum Predicate {
  static let isInside = DispatchSemaphore(value: 0)
  static let mayLeave = DispatchSemaphore(value: 0)
}

/// A rebinding changes the slots in its scope, and no others.
@Suite(.measured) struct RebindingScopeTests {
  /// The plug-in's calls and the program's are told apart by what they reach.
  @Test(arguments: ["all", "main", "images", "matching", "none"])
  func selectsImages(scope name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      let plugin = try Plugin(name: "libscope.so")
      let library = try OpenLibrary(plugin.path)
      let image = try #require(try Image.named(plugin.path))
      let scopes: [String: (scope: RebindingScope, inPlugin: Bool, inMain: Bool)] = [
        "all": (.all, true, true),
        "main": (.main, false, true),
        "images": (.images([image]), true, false),
        "matching": (.matching { $0.isNamed("libscope.so") }, true, false),
        "none": (.matching { _ in false }, false, false),
      ]
      let (scope, inPlugin, inMain) = try #require(scopes[name])
      let plan = try Hooks.getParent.plan(in: scope) { 1 }
      try #require(plan.contains { $0.image == image } == inPlugin)
      try Hooks.getParent.apply(in: scope) { 1 }
      let fromPlugin = try library.function("plugin_parent")()
      try #require((fromPlugin == 1) == inPlugin)
      try #require((getppid() == 1) == inMain)
      _ = try Hooks.getParent.restore()
      let restored = try library.function("plugin_parent")()
      try #require(getppid() != 1 && restored != 1)
    }
  }

  @Test func selectsSlotKinds() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libscope-kinds.so")
      let library = try OpenLibrary(plugin.path)
      try Hooks.getParent.apply(in: RebindingScope(slotKinds: [.globDat, .absolute])) { 1 }
      try #require(library.function("plugin_parent")() != 1)
      _ = try Hooks.getParent.restore()
      let slots = try Hooks.getParent.plan(in: RebindingScope(slotKinds: .jumpSlot)) { 1 }
      try #require(!slots.isEmpty && slots.allSatisfy { $0.kind == .jumpSlot })
      let error = #expect(throws: RebindError.self) {
        try Hooks.getParent.apply(in: RebindingScope(slotKinds: [])) { 1 }
      }
      try #require(error?.code == .invalidArgument)
    }
  }

  @Test func leavesOutItself() async {
    await #expect(processExitsWith: .success) {
      try Hooks.getParent.apply(in: RebindingScope(excludesSelf: true)) { 1 }
      // The test, its replacement and Rebind are one image.
      try #require(getppid() != 1)
    }
  }

  /// dlsym gives the function itself, and a later image is served once it is loaded.
  @Test func redirectsNothing() async {
    await #expect(processExitsWith: .success) {
      typealias Find =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> UnsafeMutableRawPointer?
      // The loader's own: by its slot an image that holds a replacement gets what is behind it.
      let find = unsafeBitCast(dlsym(nil, "dlsym"), to: Find.self)
      let own = find(nil, "getppid")
      let plugin = try Plugin(name: "libscope-slots.so")
      try Hooks.getParent.apply(in: RebindingScope(slotsOnly: true)) { 1 }
      try #require(find(nil, "getppid") == own && getppid() == 1)
      let library = try OpenLibrary(plugin.path)
      try #require(library.function("plugin_parent")() == 1)
      _ = try Hooks.getParent.restore()
      try #require(library.function("plugin_parent")() == getppid() && getppid() != 1)
      try Hooks.getParent.apply { 1 }
      try #require(find(nil, "getppid") != own)
    }
  }

  @Test func predicateLastsAsLongAsTheRebinding() async {
    await #expect(processExitsWith: .success) {
      final class Token: Sendable {}
      func apply() throws -> () -> Token? {
        let token = Token()
        try Hooks.getParent.apply(in: .matching { _ in withExtendedLifetime(token) { true } }) { 1 }
        return { [weak token] in token }
      }
      let token = try apply()
      try #require(getppid() == 1 && token() != nil)
      _ = try Hooks.getParent.restore()
      try #require(getppid() != 1 && token() == nil)
    }
  }

  /// A predicate is asked of later images too, and may look at any.
  @Test(.notInCheck, arguments: [false, true])
  func predicateIsAskedOfLaterImages(loadedImagesOnly: Bool) async {
    await #expect(processExitsWith: .success) { [loadedImagesOnly] in
      let plugin = try Plugin(name: "libscope-later.so")
      let firstPlugin = try Plugin(name: "libscope-first.so")
      let first = try OpenLibrary(firstPlugin.path)
      let scope = RebindingScope(
        .matching { image in
          Hooks.seen.withLock { $0.append(image.name) }
          let imports = (try? image.slots())?.contains { $0.symbol == "getppid" } ?? false
          return imports && image.name.hasPrefix("libscope-")
        }, loadedImagesOnly: loadedImagesOnly)
      try Hooks.getParent.apply(in: scope) { 1 }
      let count = try Image.all.filter { $0.role != .vdso && $0.role != .loader }.count
      try #require(Hooks.seen.withLock { $0.count } == count)
      try #require(first.function("plugin_parent")() == 1)
      let library = try OpenLibrary(plugin.path)
      try #require((library.function("plugin_parent")() == 1) != loadedImagesOnly)
      try #require(getppid() != 1)
      try #require(
        Hooks.seen.withLock { $0.filter { $0 == "libscope-later.so" }.count }
          == (loadedImagesOnly ? 0 : 1))
    }
  }

  /// The owner goes while another thread is in the predicate, which may wait for the owner's: the
  /// rebindings go when it has answered.
  @Test func predicateOutlastsTheOwner() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libscope-slow.so")
      let (parent, isLoaded) = (getppid(), DispatchSemaphore(value: 0))
      try {
        let active = try RebindingBatch([Hooks.getParent.replaced { 1 }]).apply(
          in: .matching { image in
            guard image.isNamed("libscope-slow.so") else { return true }
            Predicate.isInside.signal()
            Predicate.mayLeave.wait()
            Predicate.mayLeave.signal()
            return true
          })
        try #require(getppid() == 1)
        DispatchQueue.global().async {
          _ = try? OpenLibrary(plugin.path)
          isLoaded.signal()
        }
        Predicate.isInside.wait()
        _ = active.report
      }()
      // Its owner has gone, and cannot restore it yet.
      try #require(getppid() == 1 && Hooks.getParent.isActive)
      Predicate.mayLeave.signal()
      isLoaded.wait()
      try #require(getppid() == parent && !Hooks.getParent.isActive)
      try Hooks.getParent.apply { 2 }
      try #require(getppid() == 2)
    }
  }

  @Test func closedImageIsAnError() async {
    await #expect(processExitsWith: .success) {
      let plugin = try Plugin(name: "libscope-closed.so")
      let library = try OpenLibrary(plugin.path)
      let image = try #require(try Image.named(plugin.path))
      library.close()
      let error = #expect(throws: RebindError.self) {
        try Hooks.getParent.apply(in: .images([image])) { 1 }
      }
      try #require(error?.code == .noSuchImage && error?.image == plugin.path)
      try #require(error?.description.contains("Image.all") == true)
      try #require(Hooks.getParent.isActive == false)
    }
  }

  @Test func printsWhatItIs() {
    #expect(RebindingScope.all.description == "all images")
    #expect(
      RebindingScope(.main, slotKinds: .jumpSlot, excludesSelf: true, loadedImagesOnly: true)
        .description
        == "the program, slots jumpSlot, without the replacements' own, loaded now")
    #expect(RebindingScope(slotsOnly: true).description == "all images, redirecting nothing")
    let calls = RebindingScope(.main, slotKinds: .jumpSlot, excludesSelf: true)
    #expect(
      RebindingScope(calls, slotKinds: [.jumpSlot, .globDat], slotsOnly: true).description
        == "the program, slots jumpSlot, without the replacements' own, redirecting nothing")
  }
}
