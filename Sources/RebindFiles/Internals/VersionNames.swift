import CLibelf
import Glibc
import Rebind

/// What the version indices of an image stand for, as offsets into the string table.
///
/// The corresponding tags are `DT_VERDEF`, for the versions that it defines, and `DT_VERNEED`, for
/// those that it needs of others.
package struct VersionNames {
  @usableFromInline package var definedNames: [UInt32] = []
  @usableFromInline package var neededNames: [UInt32] = []
  private let strings: StringTable

  init(of file: ELFFile, _ dynamic: DynamicEntries, strings: StringTable) throws(ELFFileError) {
    self.strings = strings
    if let address = dynamic[.definedVersions] {
      try readDefined(
        OpenEndedTable(atAddress: address, in: file, field: "DT_VERDEF"),
        count: dynamic[.definedVersionCount])
    }
    if let address = dynamic[.neededVersions] {
      try readNeeded(
        OpenEndedTable(atAddress: address, in: file, field: "DT_VERNEED"),
        count: dynamic[.neededVersionCount])
    }
  }

  /// The name of a version that the image defines.
  @inlinable
  package func defined(_ index: VersionIndex) -> UInt32? { Self.name(index, in: definedNames) }

  /// The name of a version that the image needs of another.
  @inlinable
  package func needed(_ index: VersionIndex) -> UInt32? { Self.name(index, in: neededNames) }

  @inlinable
  package static func name(_ index: VersionIndex, in names: [UInt32]) -> UInt32? {
    guard index.number < names.count, names[index.number] != missing else { return nil }
    return names[index.number]
  }

  /// Follows the list of `Elf64_Verdef`, which is laid out as `Elf32_Verdef`.
  private mutating func readDefined(
    _ table: OpenEndedTable, count: UInt64?
  ) throws(ELFFileError) {
    var position = 0
    for entry in 0..<Self.mostEntries {
      if let count, entry >= count { return }
      let index = VersionIndex(rawValue: try table.number(at: position + 4, as: UInt16.self))
      let first = position + Int(try table.number(at: position + 12, as: UInt32.self))
      let name = try table.number(at: first, as: UInt32.self)
      try check(name, table, first)
      Self.set(name, index, in: &definedNames)

      let next = Int(try table.number(at: position + 16, as: UInt32.self))
      if next == 0 { return }
      position += next
    }
    throw table.error("has more entries than there are version indices", at: 0)
  }

  /// Follows the list of `Elf64_Verneed`, and from each the list of its `Elf64_Vernaux`.
  private mutating func readNeeded(
    _ table: OpenEndedTable, count: UInt64?
  ) throws(ELFFileError) {
    var position = 0
    var entries = 0
    var images: UInt64 = 0
    while count.map({ images < $0 }) ?? true {
      var version = position + Int(try table.number(at: position + 8, as: UInt32.self))
      for _ in 0..<(try table.number(at: position + 2, as: UInt16.self)) {
        let index = VersionIndex(rawValue: try table.number(at: version + 6, as: UInt16.self))
        let name = try table.number(at: version + 8, as: UInt32.self)
        try check(name, table, version + 8)
        Self.set(name, index, in: &neededNames)

        entries += 1
        let next = Int(try table.number(at: version + 12, as: UInt32.self))
        if next == 0 { break }
        version += next
      }
      images += 1
      entries += 1
      guard entries <= Self.mostEntries else {
        throw table.error("has more entries than there are version indices", at: 0)
      }
      let next = Int(try table.number(at: position + 12, as: UInt32.self))
      if next == 0 { return }
      position += next
    }
  }

  private func check(
    _ name: UInt32, _ table: OpenEndedTable, _ position: Int
  ) throws(ELFFileError) {
    guard name < strings.count else {
      throw table.error(
        "has a name at \(hexadecimal(name)) of DT_STRTAB, behind its end", at: position)
    }
  }

  private static func set(_ name: UInt32, _ index: VersionIndex, in names: inout [UInt32]) {
    while names.count <= index.number { names.append(missing) }
    names[index.number] = name
  }

  /// No name can start here: it would not end inside a table of at most this size.
  @inlinable
  package static var missing: UInt32 { .max }
  /// Lists that run in circles or over each other have more entries than this.
  private static let mostEntries = 0x1_0000
}
