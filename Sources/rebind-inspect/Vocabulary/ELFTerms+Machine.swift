#if Commands

import Rebind

// Values that mean one thing on a machine and another on the next, and those that come once a file:
// here a String does no harm.

extension SectionType {
  /// The constant without its `SHT_`, or else the range that the number lies in and the distance
  /// from there.
  func term(on machine: Machine) -> String {
    if let name { return name }
    let known: String? =
      switch (rawValue, machine.term?.description) {
      case (10, _): "SHLIB"
      case (18, _): "SYMTAB_SHNDX"
      case (0x6fff_4c01, _): "LLVM_LINKER_OPTIONS"
      case (0x6fff_4c03, _): "LLVM_ADDRSIG"
      case (0x6fff_4c04, _): "LLVM_DEPENDENT_LIBRARIES"
      case (0x6fff_4c05, _): "LLVM_SYMPART"
      case (0x6fff_4c0a, _): "LLVM_BB_ADDR_MAP"
      case (0x6fff_4c0b, _): "LLVM_OFFLOADING"
      case (0x6fff_4c0c, _): "LLVM_LTO"
      case (0x6fff_fff5, _): "GNU_ATTRIBUTES"
      case (0x6fff_fff7, _): "GNU_LIBLIST"
      case (0x6fff_fff8, _): "CHECKSUM"
      case (0x7000_0001, "x86-64"): "X86_64_UNWIND"
      case (0x7000_0001, "arm"): "ARM_EXIDX"
      case (0x7000_0003, "arm"): "ARM_ATTRIBUTES"
      case (0x7000_0003, "aarch64"): "AARCH64_ATTRIBUTES"
      case (0x7000_0003, "riscv"): "RISCV_ATTRIBUTES"
      case (0x7000_0006, "mips"): "MIPS_REGINFO"
      case (0x7000_000d, "mips"): "MIPS_OPTIONS"
      case (0x7000_002a, "mips"): "MIPS_ABIFLAGS"
      default: nil
      }
    return known ?? term
  }
}

extension SegmentType {
  /// The constant without its `PT_`, or else the range that the number lies in and the distance
  /// from there.
  func term(on machine: Machine) -> String {
    if let name { return name }
    let known: String? =
      switch (rawValue, machine.term?.description) {
      case (5, _): "SHLIB"
      case (0x6474_e554, _): "GNU_SFRAME"
      case (0x7000_0001, "arm"): "ARM_EXIDX"
      case (0x7000_0002, "aarch64"): "AARCH64_MEMTAG_MTE"
      case (0x7000_0003, "riscv"): "RISCV_ATTRIBUTES"
      case (0x7000_0000, "mips"): "MIPS_REGINFO"
      case (0x7000_0003, "mips"): "MIPS_ABIFLAGS"
      default: nil
      }
    return known ?? rangeTerm(UInt64(rawValue), 0x6000_0000...0x6fff_ffff)
  }
}

extension DynamicTag {
  /// The constant without its `DT_`, or else the range that the number lies in and the distance
  /// from there.
  func term(on machine: Machine) -> String {
    if let name { return name }
    let known: String? =
      switch (rawValue, machine.term?.description) {
      case (34, _): "SYMTAB_SHNDX"
      case (0x6fff_fef6, _): "TLSDESC_PLT"
      case (0x6fff_fef7, _): "TLSDESC_GOT"
      case (0x6fff_fdf5, _): "GNU_PRELINKED"
      case (0x6fff_fdf8, _): "CHECKSUM"
      case (0x6fff_fefa, _): "CONFIG"
      case (0x6fff_fefb, _): "DEPAUDIT"
      case (0x6fff_fefc, _): "AUDIT"
      case (0x6000_000f, _): "ANDROID_REL"
      case (0x6000_0010, _): "ANDROID_RELSZ"
      case (0x6000_0011, _): "ANDROID_RELA"
      case (0x6000_0012, _): "ANDROID_RELASZ"
      case (0x7000_0000, "x86-64"): "X86_64_PLT"
      case (0x7000_0001, "x86-64"): "X86_64_PLTSZ"
      case (0x7000_0003, "x86-64"): "X86_64_PLTENT"
      case (0x7000_0001, "aarch64"): "AARCH64_BTI_PLT"
      case (0x7000_0003, "aarch64"): "AARCH64_PAC_PLT"
      case (0x7000_0005, "aarch64"): "AARCH64_VARIANT_PCS"
      case (0x7000_0001, "riscv"): "RISCV_VARIANT_CC"
      case (0x7000_0000, "ppc64"): "PPC64_GLINK"
      case (0x7000_0001, "ppc64"): "PPC64_OPD"
      case (0x7000_0002, "ppc64"): "PPC64_OPDSZ"
      case (0x7000_0003, "ppc64"): "PPC64_OPT"
      case (0x7000_0000, "ppc"): "PPC_GOT"
      case (0x7000_0001, "ppc"): "PPC_OPT"
      default: nil
      }
    return known ?? rangeTerm(UInt64(bitPattern: rawValue), 0x6000_000d...0x6fff_f000)
  }
}

/// A value without a name, as the distance from the start of the range that it lies in.
func rangeTerm(_ value: UInt64, _ osSpecific: ClosedRange<UInt64>) -> String {
  if osSpecific.contains(value) { return "LOOS+\(value - osSpecific.lowerBound)" }
  let processorSpecific: ClosedRange<UInt64> = 0x7000_0000...0x7fff_ffff
  return processorSpecific.contains(value)
    ? "LOPROC+\(value - processorSpecific.lowerBound)" : "UNKNOWN+\(value)"
}

/// The type of a note, as its owner means it: the constant without its `NT_`.
func noteTerm(_ type: UInt32, of owner: String) -> String {
  let known: String? =
    switch (owner, type) {
    case ("GNU", 1): "GNU_ABI_TAG"
    case ("GNU", 2): "GNU_HWCAP"
    case ("GNU", 3): "GNU_BUILD_ID"
    case ("GNU", 4): "GNU_GOLD_VERSION"
    case ("GNU", 5): "GNU_PROPERTY_TYPE_0"
    case ("stapsdt", 3): "STAPSDT"
    case ("FDO", 0xcafe_1a7e): "FDO_PACKAGING_METADATA"
    case ("FDO", 0x407c_0c0a): "FDO_DLOPEN_METADATA"
    case ("Go", 4): "GO_BUILD_ID"
    case ("Rebind", 1): "REBIND_SECTION"
    case ("CORE", 1): "PRSTATUS"
    case ("CORE", 2): "FPREGSET"
    case ("CORE", 3): "PRPSINFO"
    case ("CORE", 6): "AUXV"
    case ("CORE", 0x5349_4749): "SIGINFO"
    case ("CORE", 0x4649_4c45): "FILE"
    case ("LINUX", 0x202): "X86_XSTATE"
    case ("LINUX", 0x400): "ARM_VFP"
    default: nil
    }
  return known ?? "UNKNOWN+\(type)"
}

#endif
