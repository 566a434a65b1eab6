import Rebind
import RebindFiles

/// Where the loader finds the tables of images, of which copies may lead bindings elsewhere.
extension ProcessScope {
  /// The tables of an image that the loader finds elsewhere than the file has them: by its dynamic
  /// table in memory, or by its own entry for the image. Nothing is compared if the file is not proven
  /// to be the image's.
  func redirectedTables(of image: LoadedImage) -> [ProcessFinding] {
    guard image.file != nil else { return [] }
    return redirectedEntries(of: image) + redirectedPointers(of: image)
  }

  /// The entries of its dynamic table that have another address in memory.
  private func redirectedEntries(of image: LoadedImage) -> [ProcessFinding] {
    let elfClass = image.image.elfClass
    return image.dynamicEntries.compactMap { entry in
      let expected = elfClass.wrapped(entry.value &+ image.image.loadBias)
      // musl leaves link-time addresses, as glibc does in a table that is read-only.
      guard let value = word(at: entry.place &+ UInt64(elfClass.addressSize), elfClass),
        value != entry.value, value != expected
      else { return nil }
      return finding(
        entry.tag, at: image.linked(entry.place), leadsTo: value, insteadOf: expected)
    }
  }

  /// The pointers of the loader's entry that lead elsewhere.
  private func redirectedPointers(of image: LoadedImage) -> [ProcessFinding] {
    guard let words = image.entryWords(in: self) else { return [] }
    return image.tablePointers(in: self).compactMap { pointer in
      guard let place = tablePlaces[pointer.key], place < words.count,
        words[place] != pointer.address
      else { return nil }
      return finding(
        pointer.key.tag, at: nil, leadsTo: words[place], insteadOf: pointer.address)
    }
  }

  private func finding(
    _ tag: DynamicTag, at address: UInt64?, leadsTo value: UInt64, insteadOf expected: UInt64
  ) -> ProcessFinding {
    var finding = ProcessFinding(.redirectedTable)
    finding.address = address
    finding.symbol = "DT_\(tag)"
    finding.target = target(at: value)
    finding.expected = target(at: expected)
    return finding
  }

  /// At which word of the loader's entry for an image each pointer is: no header says that of
  /// `link_map`. So it is where more than half of the images have it, and at least two.
  ///
  /// - Complexity: O(images).
  static func places(
    of images: [LoadedImage], in scope: ProcessScope
  ) -> [TablePointer.Key: Int] {
    var counts: [TablePointer.Key: [Int: Int]] = [:]
    var totals: [TablePointer.Key: Int] = [:]
    for image in images where image.file != nil {
      guard let words = image.entryWords(in: scope) else { continue }
      for pointer in image.tablePointers(in: scope) {
        totals[pointer.key, default: 0] += 1
        // Parts of a small table may begin at one place.
        for place in words.indices where words[place] == pointer.address {
          counts[pointer.key, default: [:]][place, default: 0] += 1
        }
      }
    }
    return counts.compactMapValues { $0.max { $0.value < $1.value } }
      .filter { $0.value.value >= 2 && 2 * $0.value.value > totals[$0.key] ?? 0 }
      .mapValues(\.key)
  }
}

/// A pointer to a table of an image, or into it, that a loader has in its entry for the image.
struct TablePointer {
  struct Key: Hashable {
    let tag: DynamicTag
    let part: Part
  }

  enum Part {
    /// The entry of the dynamic table: glibc's `l_info`.
    case entry
    /// The table itself: musl's `syms`, `strings`, `hashtab` and `ghashtab`.
    case start
    /// Parts of a GNU hash table: glibc's `l_gnu_bitmask`, `l_gnu_buckets` and `l_gnu_chain_zero`.
    case bitmask, buckets, chains
  }

  let key: Key
  /// The run-time address that it should be.
  let address: UInt64
}

extension LoadedImage {
  /// The entries of its file's dynamic table that lead to tables which name symbols, with their
  /// run-time addresses.
  fileprivate var dynamicEntries: [(tag: DynamicTag, value: UInt64, place: UInt64)] {
    guard let start = tableAddress, let table = (try? file?.dynamicTable) ?? nil else { return [] }
    let tags: Set<DynamicTag> = [.symbolTable, .stringTable, .hash, .gnuHash, .symbolVersions]
    return table.entries.enumerated().compactMap { index, entry in
      tags.contains(entry.tag)
        ? (
          entry.tag, entry.value,
          image.elfClass.wrapped(start &+ UInt64(2 * index * image.elfClass.addressSize))
        ) : nil
    }
  }

  fileprivate func tablePointers(in scope: ProcessScope) -> [TablePointer] {
    dynamicEntries.flatMap { entry in
      let start = image.elfClass.wrapped(entry.value &+ image.loadBias)
      var parts: [(TablePointer.Part, UInt64)] = [(.entry, entry.place), (.start, start)]
      if entry.tag == .gnuHash { parts += gnuHashParts(at: start, in: scope) }
      return parts.map { TablePointer(key: .init(tag: entry.tag, part: $0), address: $1) }
    }
  }

  private func gnuHashParts(
    at start: UInt64, in scope: ProcessScope
  ) -> [(TablePointer.Part, UInt64)] {
    func header(_ index: UInt64) -> UInt64? { scope.word(at: start &+ 4 * index, .bits32) }
    guard let bucketCount = header(0), let symbolOffset = header(1), let wordCount = header(2)
    else { return [] }
    let bitmask = start &+ 16
    let buckets = bitmask &+ wordCount * UInt64(image.elfClass.addressSize)
    let chains = buckets &+ 4 * bucketCount &- 4 * symbolOffset
    return [(.bitmask, bitmask), (.buckets, buckets), (.chains, chains)]
  }

  /// The words of the loader's entry for the image, as many as any loader has; nil without one.
  fileprivate func entryWords(in scope: ProcessScope) -> [UInt64]? {
    guard let entry, let bytes = scope.bytes(at: entry, 1024) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      let size = image.elfClass.addressSize
      let words = Words(bytes: bytes, elfClass: image.elfClass, byteOrder: image.byteOrder)
      return (0..<bytes.count / size).map { words.word(at: $0 * size) }
    }
  }
}
