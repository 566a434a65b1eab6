import CLibelf
import Glibc

/// The entries of a packed table, laid out as a plain table has them: `Elf64_Rela` and its kind.
final class UnpackedEntries {
  /// How packed entries are written.
  enum Packing: Hashable {
    /// Groups of entries that have something in common. The corresponding tags are
    /// `DT_ANDROID_RELA` and `DT_ANDROID_REL`.
    case android(RelocationTable.Kind)
    /// Each entry's difference to the one before it. The corresponding constant is `SHT_CREL`.
    case compact
  }

  let kind: RelocationTable.Kind
  let bytes: UnsafeRawBufferPointer
  private let memory: UnsafeMutableRawBufferPointer
  private let is64: Bool
  private var end = 0

  /// Reads a table.
  ///
  /// - Parameter room: How many entries there may be.
  convenience init(
    _ table: TableData, _ packing: Packing, _ elfClass: ELFClass, room: UInt64, field: String
  ) throws(ELFFileError) {
    switch packing {
    case .android(let kind):
      try self.init(android: table, kind, elfClass, room: room, field: field)
    case .compact: try self.init(compact: table, elfClass, field: field)
    }
  }

  /// Allocates no more than the largest table.
  init(
    _ kind: RelocationTable.Kind, _ elfClass: ELFClass, count: UInt64, of table: TableData,
    field: String
  ) throws(ELFFileError) {
    self.kind = kind
    is64 = elfClass == .bits64
    let entrySize = UInt64((kind == .addends ? 3 : 2) * elfClass.addressSize)
    let (size, overflow) = count.multipliedReportingOverflow(by: entrySize)
    guard !overflow, size <= ELFReader.largestTable else {
      throw table.error(.tooLarge(size: overflow ? .max : size), field: field)
    }
    memory = .allocate(byteCount: Int(size), alignment: 16)
    bytes = UnsafeRawBufferPointer(memory)
  }

  deinit { memory.deallocate() }

  /// Adds an entry; the words are cut to the class's width, as loaders do.
  func append(offset: UInt64, info: UInt64, addend: UInt64) {
    append(offset)
    append(info)
    if kind == .addends { append(addend) }
  }

  private func append(_ word: UInt64) {
    if is64 {
      memory.storeBytes(of: word, toByteOffset: end, as: UInt64.self)
      end += 8
    } else {
      memory.storeBytes(of: UInt32(truncatingIfNeeded: word), toByteOffset: end, as: UInt32.self)
      end += 4
    }
  }
}
