// Symbols as they are laid out in files, as in RelocationLayouts.swift.

/// A symbol of 64 bits. The corresponding C type is `Elf64_Sym`.
package struct Symbol64: BitwiseCopyable {
  @usableFromInline let nameOffset: UInt32
  @usableFromInline let info: UInt8
  @usableFromInline let other: UInt8
  @usableFromInline let sectionIndex: UInt16
  @usableFromInline let value: UInt64
  @usableFromInline let size: UInt64
}

/// A symbol of 32 bits. The corresponding C type is `Elf32_Sym`.
package struct Symbol32: BitwiseCopyable {
  @usableFromInline let nameOffset: UInt32
  @usableFromInline let value: UInt32
  @usableFromInline let size: UInt32
  @usableFromInline let info: UInt8
  @usableFromInline let other: UInt8
  @usableFromInline let sectionIndex: UInt16
}
