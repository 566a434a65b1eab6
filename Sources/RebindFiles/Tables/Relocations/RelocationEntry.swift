package import ELFVocabulary

/// One relocation, the same for both classes, with an addend or without.
package struct RelocationEntry {
  /// The link-time address of the word; in an object file, its offset in the section.
  package let address: UInt64
  /// For MIPS of 64 bits up to three types that come after each other, from the lowest byte on.
  package let type: UInt32
  package let symbol: Int
  /// Nil if it is the word in place.
  package let addend: Int64?

  @inlinable
  package init(_ entry: Rela64, _ layout: RelocationInfoLayout) {
    (symbol, type) = layout.split(entry.info)
    (address, addend) = (entry.offset, entry.addend)
  }

  @inlinable
  package init(_ entry: Rel64, _ layout: RelocationInfoLayout) {
    (symbol, type) = layout.split(entry.info)
    (address, addend) = (entry.offset, nil)
  }

  @inlinable
  package init(_ entry: Rela32) {
    (symbol, type) = (Int(entry.info >> 8), entry.info & 0xff)
    (address, addend) = (UInt64(entry.offset), Int64(entry.addend))
  }

  @inlinable
  package init(_ entry: Rel32) {
    (symbol, type) = (Int(entry.info >> 8), entry.info & 0xff)
    (address, addend) = (UInt64(entry.offset), nil)
  }
}

/// How a relocation of 64 bits says its symbol and type. The corresponding macros are `ELF64_R_SYM`
/// and `ELF64_R_TYPE`.
package enum RelocationInfoLayout {
  case usual
  /// The symbol's word comes first, and the types from the last byte on.
  case littleEndianMIPS
  /// The types are bytes here too, but in the usual place.
  case bigEndianMIPS
  /// A part of the type is data.
  case sparc

  package init(_ machine: Machine, _ byteOrder: ByteOrder) {
    self =
      switch machine {
      case .mips: byteOrder == .little ? .littleEndianMIPS : .bigEndianMIPS
      case _ where Machine.sparcs.contains(machine): .sparc
      default: .usual
      }
  }

  @inlinable
  package func split(_ info: UInt64) -> (symbol: Int, type: UInt32) {
    switch self {
    case .usual: (Int(info >> 32), UInt32(truncatingIfNeeded: info))
    case .littleEndianMIPS:
      (Int(info & 0xffff_ffff), UInt32(truncatingIfNeeded: info >> 32).byteSwapped & 0xff_ffff)
    case .bigEndianMIPS: (Int(info >> 32), UInt32(truncatingIfNeeded: info) & 0xff_ffff)
    case .sparc: (Int(info >> 32), UInt32(truncatingIfNeeded: info) & 0xff)
    }
  }
}
