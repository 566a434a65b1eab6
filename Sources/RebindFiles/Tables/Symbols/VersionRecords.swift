import Rebind

/// The lists of versions, entry by entry: `Elf64_Verdef`, `Elf64_Verneed` and what hangs on them,
/// which are laid out as those of 32 bits.
package enum VersionRecords {
  /// A version that is defined: `Elf64_Verdef`.
  package struct Definition {
    package let flags: UInt16
    package let index: VersionIndex
    package let hash: UInt32
    /// The offsets of its name, and of those of the versions that it comes after.
    package let names: [UInt32]
  }

  /// A version that is asked for: `Elf64_Vernaux`.
  package struct Need {
    /// The offset of the name of the image that should have it.
    package let file: UInt32
    package let hash: UInt32
    package let flags: UInt16
    package let index: VersionIndex
    package let name: UInt32
    /// True for the first one of an image.
    package let isFirst: Bool
  }

  /// Calls `body` with each version that a file defines. The corresponding tag is `DT_VERDEF`.
  package static func forEachDefinition(
    of file: ELFFile, _ dynamic: DynamicEntries, strings: StringTable,
    _ body: (Definition) throws(ELFFileError) -> Void
  ) throws(ELFFileError) {
    guard let address = dynamic[.definedVersions] else { return }
    let table = try OpenEndedTable(atAddress: address, in: file, field: "DT_VERDEF")
    let count = dynamic[.definedVersionCount]
    var position = 0
    var entries = 0
    var versions: UInt64 = 0
    while count.map({ versions < $0 }) ?? true {
      var names: [UInt32] = []
      var name = position + Int(try table.number(at: position + 12, as: UInt32.self))
      // Its own name comes first, and is there even if the count says 0.
      for _ in 0..<max(1, try table.number(at: position + 6, as: UInt16.self)) {
        let offset = try table.number(at: name, as: UInt32.self)
        try strings.check(offset, table, name)
        names.append(offset)
        entries += 1
        let next = Int(try table.number(at: name + 4, as: UInt32.self))
        if next == 0 { break }
        name += next
      }
      try body(
        Definition(
          flags: try table.number(at: position + 2, as: UInt16.self),
          index: VersionIndex(rawValue: try table.number(at: position + 4, as: UInt16.self)),
          hash: try table.number(at: position + 8, as: UInt32.self), names: names))
      versions += 1
      try check(entries, table)
      let next = Int(try table.number(at: position + 16, as: UInt32.self))
      if next == 0 { return }
      position += next
    }
  }

  /// Calls `body` with each version that a file needs of others. The corresponding tag is
  /// `DT_VERNEED`.
  package static func forEachNeed(
    of file: ELFFile, _ dynamic: DynamicEntries, strings: StringTable,
    _ body: (Need) throws(ELFFileError) -> Void
  ) throws(ELFFileError) {
    guard let address = dynamic[.neededVersions] else { return }
    let table = try OpenEndedTable(atAddress: address, in: file, field: "DT_VERNEED")
    let count = dynamic[.neededVersionCount]
    var position = 0
    var entries = 0
    var images: UInt64 = 0
    while count.map({ images < $0 }) ?? true {
      let file = try table.number(at: position + 4, as: UInt32.self)
      try strings.check(file, table, position + 4)
      var version = position + Int(try table.number(at: position + 8, as: UInt32.self))
      var isFirst = true
      for _ in 0..<(try table.number(at: position + 2, as: UInt16.self)) {
        let name = try table.number(at: version + 8, as: UInt32.self)
        try strings.check(name, table, version + 8)
        try body(
          Need(
            file: file, hash: try table.number(at: version, as: UInt32.self),
            flags: try table.number(at: version + 4, as: UInt16.self),
            index: VersionIndex(rawValue: try table.number(at: version + 6, as: UInt16.self)),
            name: name, isFirst: isFirst))
        isFirst = false
        entries += 1
        let next = Int(try table.number(at: version + 12, as: UInt32.self))
        if next == 0 { break }
        version += next
      }
      images += 1
      entries += 1
      try check(entries, table)
      let next = Int(try table.number(at: position + 12, as: UInt32.self))
      if next == 0 { return }
      position += next
    }
  }

  /// Lists that run in circles or over each other have more entries than version indices allow.
  private static func check(_ entries: Int, _ table: OpenEndedTable) throws(ELFFileError) {
    guard entries <= 0x1_0000 else {
      throw table.error("has more entries than version indices allow", at: 0)
    }
  }
}

extension StringTable {
  /// Throws unless a name can start at an offset. `position` is where the table says so.
  func check(
    _ name: UInt32, _ table: OpenEndedTable, _ position: Int
  ) throws(ELFFileError) {
    guard name < count else {
      throw table.error(
        "has a name at \(hexadecimal(name)) of DT_STRTAB, behind its end", at: position)
    }
  }
}
