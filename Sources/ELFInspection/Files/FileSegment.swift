internal import CLibelf
package import Rebind
package import RebindFiles

/// A segment as its file has it: what Rebind's `Segment` says, and what is in it.
///
/// The corresponding C types are `Elf32_Phdr` and `Elf64_Phdr`.
package struct FileSegment {
  /// Its place among the program headers.
  package let index: Int
  package let segment: Segment
  /// Only for machines without virtual memory: `p_paddr`.
  package let physicalAddress: UInt64
  /// The names of the sections that lie in it; empty if the section headers are stripped.
  package let sections: [String]
}

extension ELFFile {
  /// The program headers, with the sections that lie in each.
  ///
  /// - Complexity: O(segments · sections).
  package var segmentTable: [FileSegment] {
    get throws(ELFFileError) {
      let physicalAddresses = try Segment.physicalAddresses(of: reader)
      let sections = sectionHeaders.isEmpty ? [] : try sectionTable
      guard sections.count <= Self.mostPairs / max(1, segments.count) else {
        throw reader.error(
          .unsupported("is \(segments.count), of which each may hold \(sections.count) sections"),
          field: "e_phnum", at: nil)
      }
      return segments.enumerated().map { index, segment in
        FileSegment(
          index: index, segment: segment, physicalAddress: physicalAddresses[index],
          sections: sections.filter { $0.lies(in: segment) }.map(\.section.name))
      }
    }
  }

  /// So many sections are held against segments: linkers make few of these.
  private static var mostPairs: Int { 1 << 24 }
}

extension FileSection {
  /// True if a segment has the section's bytes and addresses, by the rules that readelf has too.
  func lies(in segment: Segment) -> Bool {
    let isThreadLocal = section.flags.contains(.threadLocal)
    switch segment.type {
    case .threadLocal: guard isThreadLocal else { return false }
    case .load, .relro: break
    case .programHeaders: return false
    default: guard !isThreadLocal else { return false }
    }
    let isAllocated = section.flags.contains(.allocated)
    let isOfMemory = [.load, .dynamic, .exceptionFrame, .stack, .relro].contains(segment.type)
    guard isAllocated || !isOfMemory, let fileOffset else { return false }
    // Zeroed data that each thread has for itself takes no room in the image.
    let takesRoom = !(isThreadLocal && section.type == .noBits) || segment.type == .threadLocal
    guard takesRoom else { return false }
    func isInside(_ start: UInt64, of outer: UInt64, size: UInt64) -> Bool {
      // The very end has no byte of the segment, so it has no empty section either.
      start >= outer && (start - outer < size || (size == 0 && start == outer && section.size == 0))
        && section.size <= size - (start - outer)
    }
    if section.type != .noBits,
      !isInside(fileOffset, of: segment.fileOffset, size: segment.fileSize)
    {
      return false
    }
    if isAllocated, !isInside(section.address, of: segment.address, size: segment.memorySize) {
      return false
    }
    guard section.size == 0, segment.type == .dynamic || segment.type == .note,
      segment.memorySize > 0
    else { return true }
    // An empty section at the start of these belongs to what is in front.
    return (section.type == .noBits || fileOffset > segment.fileOffset)
      && (!isAllocated || section.address > segment.address)
  }
}
