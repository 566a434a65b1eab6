import CLibelf
import Glibc
package import ELFVocabulary

/// The dynamic table: where the loader finds an image's other tables. The corresponding segment
/// is `PT_DYNAMIC`.
package struct DynamicEntries {
  private let table: TableData
  private let elfClass: ELFClass
  private let count: Int
  /// The load bias of an image in memory, for the addresses that its loader has relocated.
  private let loadBias: UInt64
  private let segments: [Segment]

  /// The table of a file; nil if it has none, as relocatable and debug files.
  package init?(of file: ELFFile) throws(ELFFileError) {
    guard !file.isDebugFile,
      let segment = file.segments.first(where: { $0.type == .dynamic })
    else { return nil }
    table = try file.reader.data(
      at: segment.fileOffset, size: segment.fileSize, as: ELF_T_DYN, field: "PT_DYNAMIC")
    elfClass = file.reader.elfClass
    loadBias = file.reader.loadBias ?? 0
    segments = loadBias == 0 ? [] : file.segments.filter { $0.type == .load }
    let (table, elfClass) = (table, elfClass)
    let capacity =
      elfClass == .bits64 ? table.count(of: UInt64.self) / 2 : table.count(of: UInt32.self) / 2
    count = (0..<capacity).first { Self.entry($0, table, elfClass).tag == .null } ?? capacity
  }

  /// The value of a tag; nil if the table has no such tag. The last one counts, as for glibc.
  ///
  /// - Complexity: O(*n*), where *n* is the number of entries.
  package subscript(tag: DynamicTag) -> UInt64? {
    var index = count
    while index > 0 {
      index -= 1
      let entry = Self.entry(index, table, elfClass)
      if entry.tag == tag { return linked(entry.value) }
    }
    return nil
  }

  /// The value of a tag that the table cannot be without. `field` is its constant.
  func value(of tag: DynamicTag, field: String) throws(ELFFileError) -> UInt64 {
    guard let value = self[tag] else {
      throw table.error(.malformed("is missing"), field: field)
    }
    return value
  }

  /// All entries, without the one that ends the table. The names that they lead to are read too.
  func all(of file: ELFFile) throws(ELFFileError) -> [DynamicTable.Entry] {
    guard (0..<count).contains(where: { Self.entry($0, table, elfClass).tag.namesString }) else {
      return try all(nil)
    }
    return try file.readingNames(self) { strings throws(ELFFileError) in try all(strings) }
  }

  /// - Parameter strings: Nil if no entry has a name.
  private func all(_ strings: StringTable?) throws(ELFFileError) -> [DynamicTable.Entry] {
    var entries: [DynamicTable.Entry] = []
    for index in 0..<count {
      let (tag, stated) = Self.entry(index, table, elfClass)
      let value = linked(stated)
      var string: String?
      if tag.namesString {
        guard let strings, value < strings.count else {
          throw table.error(
            .malformed("is \(hexadecimal(value)) of DT_STRTAB, behind its end"),
            field: "DT_\(tag)", distance: 2 * index * elfClass.addressSize)
        }
        string = try strings.text(at: UInt32(value))
      }
      entries.append(DynamicTable.Entry(tag: tag, value: value, string: string))
    }
    return entries
  }

  /// A value as it is in the file. glibc relocates addresses in place, but not in the vDSO or a
  /// table that is read-only, and musl never: so it depends on whether the value is inside the image.
  private func linked(_ value: UInt64) -> UInt64 {
    let address = elfClass.wrapped(value &- loadBias)
    return segments.contains { $0.contains(address) } ? address : value
  }

  /// An entry is two words of the class, `d_tag` and `d_un`.
  private static func entry(
    _ index: Int, _ table: TableData, _ elfClass: ELFClass
  ) -> (tag: DynamicTag, value: UInt64) {
    switch elfClass {
    case .bits64:
      return (
        DynamicTag(rawValue: table.entry(2 * index, as: Int64.self)),
        table.entry(2 * index + 1, as: UInt64.self)
      )
    case .bits32:
      return (
        DynamicTag(rawValue: Int64(table.entry(2 * index, as: Int32.self))),
        UInt64(table.entry(2 * index + 1, as: UInt32.self))
      )
    }
  }
}
