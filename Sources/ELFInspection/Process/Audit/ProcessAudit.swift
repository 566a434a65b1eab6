import Glibc
package import RebindFiles

extension ProcessLook<[ProcessFinding]> {
  /// The words and files of a process's images that differ from what their files and the loader
  /// made, and go on to differ.
  ///
  /// While an image is being loaded, its slots are not filled and its pages are open. The loader
  /// shows that only during a part of this time. So images with findings are looked at four more
  /// times, or twenty times while threads run. A finding that does not appear each time is left out.
  /// A look counts once the threads have run on since the last one. If they have not within ten
  /// seconds, findings that an image being loaded may explain are left out, and `isStarved` says so.
  ///
  /// - Parameter willRead: Called with each image in front of a look at it.
  /// - Throws: `ELFFileError` if the process may not be looked at, is not there, or has ended.
  package static func audit(
    pid: Int32, willRead: (LoadedImage) -> Void
  ) throws(ELFFileError) -> Self {
    var kept = try Self(pid: pid, of: { $0.images }) { image, scope throws(ELFFileError) in
      willRead(image)
      return try scope.audit(image)
    }
    let end = ContinuousClock.now + .seconds(10)
    var threads = RunnableThreads(of: pid)
    var (looks, wanted) = (0, 4)
    while looks < wanted {
      let open = kept.entries.filter(\.isOpen)
      if open.isEmpty { break }
      repeat {
        usleep([1, 3, 7, 15][min(looks, 3)] * 1000)
      } while !threads.haveRun(in: pid) && ContinuousClock.now < end
      if !threads.haveRun(in: pid) {
        kept.isStarved = true
        kept.entries = kept.entries.map(\.withoutOpen)
        break
      }
      threads = RunnableThreads(of: pid)
      if !threads.isEmpty { wanted = 20 }
      looks += 1
      let next = try Self(pid: pid, of: { $0.images }) { image, scope throws(ELFFileError) in
        guard open.contains(where: { $0.isOf(image) }) else { return nil }
        willRead(image)
        return try scope.audit(image)
      }
      kept.entries = kept.entries.compactMap { entry in
        if !entry.isOpen { return entry }
        return next.entries.first { $0.isOf(entry.image) }.map { entry.kept(by: $0) }
      }
    }
    return kept
  }
}

extension ProcessLook<[ProcessFinding]>.Entry {
  /// True if another look may find less.
  fileprivate var isOpen: Bool {
    switch result {
    case .success(let findings): (findings ?? []).contains { !$0.kind.isLasting }
    case .failure(let error): error.reason == .vanished
    }
  }

  /// Without what another look may not find.
  fileprivate var withoutOpen: Self {
    guard case .success(let findings?) = result else { return self }
    var rest = self
    rest.result = .success(findings.filter(\.kind.isLasting))
    return rest
  }

  fileprivate func isOf(_ other: LoadedImage) -> Bool {
    image.image.start == other.image.start && image.image.path.bytes == other.image.path.bytes
  }

  /// Without the findings that another look has not.
  fileprivate func kept(by other: Self) -> Self {
    guard case .success(let found) = result, case .success(let again) = other.result else {
      return other
    }
    let known = Set((again ?? []).map(\.identity))
    var kept = self
    kept.result = .success((found ?? []).filter { known.contains($0.identity) })
    return kept
  }
}

extension ProcessFinding.Kind {
  /// True if loading does not bring about another finding of this kind that passes.
  fileprivate var isLasting: Bool { self == .preloadedImage || self == .auditingImage }
}

extension ProcessFinding {
  /// Two findings of an image are the same if this is.
  fileprivate var identity: [UInt64?] {
    [Kind.allCases.firstIndex(of: kind).map(UInt64.init), address, end, target?.address]
  }
}
