import Glibc
import Rebind
import RebindFiles

extension ProcessScope {
  /// The code of an image that is not what its file has there: somebody has written to it. The
  /// result is empty if the file is not proven to be the image's, or if the loader relocates code.
  ///
  /// - Complexity: O(pages of code + bytes of pages that were written to).
  func modifiedCode(of image: LoadedImage) -> [ProcessFinding] {
    guard let file = image.file, !image.relocatesCode else { return [] }
    let segments = image.image.segments.filter {
      $0.type == .load && $0.permissions.contains(.execute) && !$0.permissions.contains(.write)
        && $0.fileSize > 0
    }
    return CopiedPages.with(pid: pid) { pages in
      segments.flatMap { segment in
        let start = image.image.elfClass.wrapped(segment.address &+ image.image.loadBias)
        let (end, isOver) = start.addingReportingOverflow(segment.fileSize)
        if isOver { return [] as [ProcessFinding] }
        return suspects(of: image, in: start..<end, pages).flatMap {
          differences(in: $0, segment, of: image, file)
        }
      }
    }
  }

  /// The parts of the kernel's image that are not as in this process: all of a machine and system have
  /// the same one.
  func modifiedVDSO(_ image: LoadedImage) -> [ProcessFinding] {
    let start = image.image.mapping.start
    let size = image.image.mapping.end - start
    // One of another machine, such as i386, begins with another header.
    guard let own = Self.ownVDSO, own.count == Int(size), let loaded = bytes(at: start, size),
      loaded.prefix(20).elementsEqual(own.prefix(20))
    else { return [] }
    return loaded.withUnsafeBytes { loaded in
      own.withUnsafeBytes { changes(in: loaded, from: start, of: image, stored: $0) }
    }
  }

  /// The bytes of this process's own, read once; nil if it has none, or none that can be read.
  private static let ownVDSO: [UInt8]? = {
    let lines = (try? ProcessFolder.lines(of: "maps", pid: getpid())) ?? []
    let mapping = lines.lazy.compactMap { ProcessMapping($0) }
      .first { $0.path.elementsEqual("[vdso]".utf8) }
    guard let mapping, let memory = try? ProcessMemory(pid: getpid()) else { return nil }
    return memory.read(mapping.start, mapping.end &- mapping.start)
  }()

  /// The parts of a range that may hold something else than the file: copies of its pages, and what
  /// is mapped there in its place.
  private func suspects(
    of image: LoadedImage, in range: Range<UInt64>, _ pages: CopiedPages
  ) -> [Range<UInt64>] {
    var found: [Range<UInt64>] = []
    for mapping in mappings {
      let part = (mapping.start..<mapping.end).clamped(to: range)
      if part.isEmpty { continue }
      let isFile = mapping.identity == image.image.mapping.identity && mapping.isOfFile
      found += isFile ? pages.copies(in: part).map { $0.clamped(to: part) } : [part]
    }
    return found
  }

  /// The parts of a range of run-time addresses whose bytes are not the file's.
  private func differences(
    in range: Range<UInt64>, _ segment: Segment, of image: LoadedImage, _ file: ELFFile
  ) -> [ProcessFinding] {
    var findings: [ProcessFinding] = []
    let block: UInt64 = 1 << 16
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(block)) {
      let size = min(block, range.upperBound - start)
      let offset = image.linked(start) &- segment.address &+ segment.fileOffset
      guard
        let stored = try? file.reader.data(at: offset, size: size, as: .bytes, field: "p_offset")
      else { break }
      guard let loaded = bytes(at: start, size) else { continue }
      findings += loaded.withUnsafeBytes {
        changes(in: $0, from: start, of: image, stored: stored.bytes)
      }
    }
    return findings
  }

  /// The parts in which the bytes from a run-time address on differ from the stored ones. Parts that
  /// lie close together are one.
  private func changes(
    in loaded: UnsafeRawBufferPointer, from start: UInt64, of image: LoadedImage,
    stored: UnsafeRawBufferPointer
  ) -> [ProcessFinding] {
    guard let left = loaded.baseAddress, let right = stored.baseAddress,
      memcmp(left, right, loaded.count) != 0
    else { return [] }
    var ranges: [Range<UInt64>] = []
    for index in 0..<loaded.count where loaded[index] != stored[index] {
      let place = start + UInt64(index)
      if let last = ranges.last, place - last.upperBound < 16 {
        ranges[ranges.count - 1] = last.lowerBound..<place + 1
      } else {
        ranges.append(place..<place + 1)
      }
    }
    return ranges.map { changed in
      var finding = range(.modifiedCode, changed, of: image)
      finding.symbol = image.symbol(at: changed.lowerBound)?.name
      return finding
    }
  }
}

extension LoadedImage {
  /// True if the loader writes to its code: it has text relocations.
  fileprivate var relocatesCode: Bool {
    table[.textRelocations] != nil || table.flags.contains(.textRelocations)
  }
}
