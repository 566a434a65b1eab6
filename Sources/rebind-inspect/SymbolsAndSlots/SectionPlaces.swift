#if Commands

import Rebind
import RebindFiles

/// Which section of a file an address is in.
struct SectionPlaces {
  private let sections: [(addresses: Range<UInt64>, name: [UInt8])]

  /// Reads the places of a file's sections: none if the section headers are stripped, or without a
  /// file.
  init(of file: ELFFile?) throws(ELFFileError) {
    var sections: [(addresses: Range<UInt64>, name: [UInt8])] = []
    for section in try file?.sections() ?? []
    where section.flags.contains(.allocated) && section.size > 0
      && !(section.flags.contains(.threadLocal) && section.type == .noBits)
    {
      let (end, overflow) = section.address.addingReportingOverflow(section.size)
      guard !overflow else { continue }
      sections.append((section.address..<end, Array(section.name.utf8) + [0]))
    }
    self.sections = sections
  }

  /// The longest name's length.
  var width: Int { sections.reduce(0) { max($0, $1.name.count - 1) } }

  /// The name of a section that a cursor found, and a zero byte.
  func name(of place: Int) -> [UInt8] { sections[place].name }

  var cursor: Cursor { Cursor(sections: sections) }

  /// Addresses that follow each other are mostly in one section: the last one is tried first.
  struct Cursor {
    fileprivate let sections: [(addresses: Range<UInt64>, name: [UInt8])]
    private var last = 0

    fileprivate init(sections: [(addresses: Range<UInt64>, name: [UInt8])]) {
      self.sections = sections
    }

    /// The section's place among those of the file; nil for none.
    @inline(__always)
    mutating func place(at address: UInt64) -> Int? {
      if last < sections.count, sections[last].addresses.contains(address) { return last }
      guard let found = sections.firstIndex(where: { $0.addresses.contains(address) })
      else { return nil }
      last = found
      return found
    }

    /// The section's name and a zero byte; nil for none.
    @inline(__always)
    mutating func name(at address: UInt64) -> [UInt8]? {
      place(at: address).map { sections[$0].name }
    }
  }
}

#endif
