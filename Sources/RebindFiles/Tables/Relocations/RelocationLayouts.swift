// The entries of tables of relocations. They are declared here too, because Glibc and CLibelf both
// have the C types. The module that an inlinable function takes them from depends on how many files
// are compiled at once.

/// An entry with an addend, of 64 bits. The corresponding C type is `Elf64_Rela`.
package struct Rela64: BitwiseCopyable {
  @usableFromInline let offset: UInt64
  @usableFromInline let info: UInt64
  @usableFromInline let addend: Int64
}

/// An entry whose addend is in place, of 64 bits. The corresponding C type is `Elf64_Rel`.
package struct Rel64: BitwiseCopyable {
  @usableFromInline let offset: UInt64
  @usableFromInline let info: UInt64
}

/// An entry with an addend, of 32 bits. The corresponding C type is `Elf32_Rela`.
package struct Rela32: BitwiseCopyable {
  @usableFromInline let offset: UInt32
  @usableFromInline let info: UInt32
  @usableFromInline let addend: Int32
}

/// An entry whose addend is in place, of 32 bits. The corresponding C type is `Elf32_Rel`.
package struct Rel32: BitwiseCopyable {
  @usableFromInline let offset: UInt32
  @usableFromInline let info: UInt32
}
