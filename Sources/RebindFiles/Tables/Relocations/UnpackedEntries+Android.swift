extension UnpackedEntries {
  /// Flags that say what a group's entries have in common: the linker's
  /// `RELOCATION_GROUPED_BY_INFO_FLAG` and similar ones.
  private struct GroupFlags: OptionSet {
    let rawValue: UInt64
    static let sameInfo = Self(rawValue: 1)
    static let sameDistance = Self(rawValue: 2)
    static let sameAddend = Self(rawValue: 4)
    static let hasAddend = Self(rawValue: 8)
    static let all: Self = [.sameInfo, .sameDistance, .sameAddend, .hasAddend]
  }

  /// Android's groups, as bionic's `for_all_packed_relocs` reads them. An entry may take no byte at
  /// all, so the table's size says nothing of their number.
  ///
  /// - Parameter room: How many entries there may be: each fills a word of its image.
  convenience init(
    android table: TableData, _ kind: RelocationTable.Kind, _ elfClass: ELFClass, room: UInt64,
    field: String
  ) throws(ELFFileError) {
    guard table.bytes.starts(with: "APS2".utf8) else {
      throw table.error(.malformed("does not start with APS2"), field: field)
    }
    var numbers = PackedNumbers(table, from: 4, field: field)
    var left = try numbers.unsigned(signedAs: "states a negative number of entries")
    guard left <= room else {
      throw numbers.error("has \(left) entries, and its image room for \(room)")
    }
    var offset = try numbers.signed()
    try self.init(kind, elfClass, count: left, of: table, field: field)
    var addend: UInt64 = 0
    while left > 0 {
      let size = try numbers.unsigned(signedAs: "has a group of a negative size")
      guard size <= left else {
        throw numbers.error("has a group of \(size) entries, where \(left) are left")
      }
      left -= size
      let flags = GroupFlags(rawValue: try numbers.signed())
      guard flags.isSubset(of: .all), kind == .addends || !flags.contains(.hasAddend) else {
        throw numbers.error("has a group with the flags \(flags.rawValue)")
      }
      let distance = flags.contains(.sameDistance) ? try numbers.signed() : 0
      let info = flags.contains(.sameInfo) ? try numbers.signed() : 0
      if !flags.contains(.hasAddend) {
        addend = 0
      } else if flags.contains(.sameAddend) {
        addend &+= try numbers.signed()
      }
      for _ in 0..<size {
        offset &+= flags.contains(.sameDistance) ? distance : try numbers.signed()
        let own = flags.contains(.sameInfo) ? info : try numbers.signed()
        if flags.contains(.hasAddend), !flags.contains(.sameAddend) {
          addend &+= try numbers.signed()
        }
        append(offset: offset, info: own, addend: addend)
      }
    }
  }
}

extension PackedNumbers {
  /// A number that is written as a signed one, and must not be negative.
  fileprivate mutating func unsigned(signedAs how: String) throws(ELFFileError) -> UInt64 {
    let number = try signed()
    guard Int64(bitPattern: number) >= 0 else { throw error(how) }
    return number
  }
}
