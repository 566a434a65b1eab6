public import Foundation

extension Data {
  /// Where the headers and the tables of an ELF file are, by its section headers.
  public var elfRegions: [Range<Int>] {
    let is64 = self[4] == 2
    func number(_ offset: Int, _ size: Int) -> Int {
      let bytes = self[offset..<offset + size]
      return (self[5] == 1 ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    let word = is64 ? 8 : 4
    let headerSize = is64 ? 64 : 52
    // Of e_phoff, and behind e_shoff, e_flags and e_ehsize: e_phentsize and those that follow.
    let offsets = is64 ? 0x20 : 0x1c
    let counts = offsets + 2 * word + 6
    let (segments, sections) = (number(offsets, word), number(offsets + word, word))
    let (sectionSize, sectionCount) = (number(counts + 4, 2), number(counts + 6, 2))
    let tables = (0..<sectionCount).compactMap { index -> Range<Int>? in
      let section = sections + index * sectionSize
      // sh_offset and sh_size are behind two words of 32 bits and two of the class.
      let offset = number(section + 8 + 2 * word, word)
      let size = number(section + 8 + 3 * word, word)
      return Self.tableTypes.contains(number(section + 4, 4)) && size > 0
        ? offset..<offset + size : nil
    }
    let headers = [
      0..<headerSize, segments..<segments + number(counts, 2) * number(counts + 2, 2),
      sections..<sections + sectionCount * sectionSize,
    ]
    return headers.filter { !$0.isEmpty } + tables
  }

  /// SYMTAB, STRTAB, RELA, HASH, DYNAMIC, NOTE, REL, DYNSYM, INIT_ARRAY, RELR, GROUP; GNU's hash table
  /// and versions.
  private static let tableTypes: Set = [
    2, 3, 4, 5, 6, 7, 9, 11, 14, 19, 17, 0x6fff_fff6, 0x6fff_fffd, 0x6fff_fffe, 0x6fff_ffff,
  ]
}
