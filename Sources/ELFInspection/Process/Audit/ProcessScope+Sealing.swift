import RebindFiles

/// How far mseal(2) keeps an image's pages as they are.
package enum ProcessSealing: String {
  case none
  /// Some of those that are not writable.
  case partial
  /// All that are not writable, the slots in them too.
  case full
}

extension ProcessScope {
  /// How far an image is sealed. Writable parts can be changed all the same.
  package func sealing(of image: LoadedImage) -> ProcessSealing {
    let closed = mappings.filter { mapping in
      !mapping.permissions.contains("w") && image.overlaps(mapping.start..<mapping.end)
    }
    let open = closed.filter { mapping in
      !sealed.contains { $0.lowerBound <= mapping.start && mapping.end <= $0.upperBound }
    }
    return open.isEmpty && !closed.isEmpty ? .full : open.count < closed.count ? .partial : .none
  }

  /// True if a slot lies in pages that nobody can open.
  func isSealed(_ slot: FileSlot, of image: LoadedImage) -> Bool {
    guard slot.isProtected else { return false }
    let address = image.image.elfClass.wrapped(slot.address &+ image.image.loadBias)
    return sealed.contains { $0.contains(address) }
  }

  /// The ranges that are sealed and not writable; none where the kernel does not tell.
  ///
  /// The corresponding file is `/proc/PID/smaps`, and the flag `sl` of its `VmFlags`.
  static func sealedRanges(pid: Int32) -> [Range<UInt64>] {
    var found: [Range<UInt64>] = []
    var last: ProcessMapping?
    for line in (try? ProcessFolder.lines(of: "smaps", pid: pid)) ?? [] {
      guard line.starts(with: "VmFlags:".utf8) else {
        last = ProcessMapping(line) ?? last
        continue
      }
      let isSealed = line.split(separator: UInt8(ascii: " ")).contains {
        $0.elementsEqual("sl".utf8)
      }
      guard isSealed, let last, !last.permissions.contains("w") else { continue }
      found.append(last.start..<last.end)
    }
    return found
  }
}
