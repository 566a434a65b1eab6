#if Commands

import Rebind

// The terms of values whose meaning depends on the machine, and of values that occur once in a
// file. They are Strings, which cost too little here to matter.

extension SectionType {
  /// The constant without its `SHT_`, or else the range that the number lies in and the distance
  /// from there.
  func term(on machine: Machine) -> String {
    if let name { return name }
    let known: String? =
      switch rawValue {
      case 10: "SHLIB"
      case 18: "SYMTAB_SHNDX"
      case 0x6fff_4c01: "LLVM_LINKER_OPTIONS"
      case 0x6fff_4c03: "LLVM_ADDRSIG"
      case 0x6fff_4c04: "LLVM_DEPENDENT_LIBRARIES"
      case 0x6fff_4c05: "LLVM_SYMPART"
      case 0x6fff_4c0a: "LLVM_BB_ADDR_MAP"
      case 0x6fff_4c0b: "LLVM_OFFLOADING"
      case 0x6fff_4c0c: "LLVM_LTO"
      case 0x6fff_fff5: "GNU_ATTRIBUTES"
      case 0x6fff_fff7: "GNU_LIBLIST"
      case 0x6fff_fff8: "CHECKSUM"
      default: ProcessorTerms.sectionTypes.name(of: UInt64(rawValue), on: machine)
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
      switch rawValue {
      case 5: "SHLIB"
      case 0x6474_e554: "GNU_SFRAME"
      default: ProcessorTerms.segmentTypes.name(of: UInt64(rawValue), on: machine)
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
      switch rawValue {
      case 34: "SYMTAB_SHNDX"
      case 0x6fff_fef6: "TLSDESC_PLT"
      case 0x6fff_fef7: "TLSDESC_GOT"
      case 0x6fff_fdf5: "GNU_PRELINKED"
      case 0x6fff_fdf8: "CHECKSUM"
      case 0x6fff_fefa: "CONFIG"
      case 0x6fff_fefb: "DEPAUDIT"
      case 0x6fff_fefc: "AUDIT"
      case 0x6000_000f: "ANDROID_REL"
      case 0x6000_0010: "ANDROID_RELSZ"
      case 0x6000_0011: "ANDROID_RELA"
      case 0x6000_0012: "ANDROID_RELASZ"
      default: ProcessorTerms.dynamicTags.name(of: UInt64(bitPattern: rawValue), on: machine)
      }
    return known ?? rangeTerm(UInt64(bitPattern: rawValue), 0x6000_000d...0x6fff_f000)
  }
}

/// The constants that each machine has from `LOPROC` on: in a line the machine, their prefix and the names in
/// turn. A number behind `=` is the distance of the next one from `LOPROC`.
private struct ProcessorTerms {
  private let names: [Substring: [UInt64: String]]

  init(_ table: String) {
    var names: [Substring: [UInt64: String]] = [:]
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      var value = Self.lowest
      for word in words.dropFirst(2) {
        if word.first == "=" {
          value = Self.lowest + (UInt64(word.dropFirst()) ?? 0)
        } else {
          names[words[0], default: [:]][value] = "\(words[1])\(word)"
          value += 1
        }
      }
    }
    self.names = names
  }

  /// Nil if the value has no name on the machine.
  func name(of value: UInt64, on machine: Machine) -> String? {
    value < Self.lowest ? nil : machine.term.flatMap { names["\($0)"]?[value] }
  }

  private static let lowest: UInt64 = 0x7000_0000

  static let sectionTypes = Self(
    """
    x86-64 X86_64_ =1 UNWIND
    arm ARM_ =1 EXIDX =3 ATTRIBUTES
    aarch64 AARCH64_ =3 ATTRIBUTES
    riscv RISCV_ =3 ATTRIBUTES
    arcompact ARC_ =1 ATTRIBUTES
    arcv2 ARC_ =1 ATTRIBUTES
    ia64 IA_64_ EXT UNWIND
    mips MIPS_ LIBLIST MSYM CONFLICT GPTAB UCODE DEBUG REGINFO PACKAGE PACKSYM RELD =11 IFACE \
    CONTENT OPTIONS =16 SHDR FDESC EXTSYM DENSE PDESC LOCSYM AUXSYM OPTSYM LOCSTR LINE RFDESC \
    DELTASYM DELTAINST DELTACLASS DWARF DELTADECL SYMBOL_LIB EVENTS TRANSLATE PIXIE XLATE \
    XLATE_DEBUG WHIRL EH_REGION XLATE_OLD PDR_EXCEPTION ABIFLAGS XHASH
    """)

  static let segmentTypes = Self(
    """
    arm ARM_ =1 EXIDX
    aarch64 AARCH64_ =2 MEMTAG_MTE
    riscv RISCV_ =3 ATTRIBUTES
    ia64 IA_64_ ARCHEXT UNWIND
    mips MIPS_ REGINFO RTPROC OPTIONS ABIFLAGS
    """)

  static let dynamicTags = Self(
    """
    x86-64 X86_64_ PLT PLTSZ =3 PLTENT
    aarch64 AARCH64_ =1 BTI_PLT =3 PAC_PLT =5 VARIANT_PCS
    riscv RISCV_ =1 VARIANT_CC
    ppc64 PPC64_ GLINK OPD OPDSZ OPT
    ppc PPC_ GOT OPT
    sparc SPARC_ =1 REGISTER
    sparcv9 SPARC_ =1 REGISTER
    alpha ALPHA_ PLTRO
    ia64 IA_64_ PLT_RESERVE
    mips MIPS_ =1 RLD_VERSION TIME_STAMP ICHECKSUM IVERSION FLAGS BASE_ADDRESS MSYM CONFLICT \
    LIBLIST LOCAL_GOTNO CONFLICTNO =16 LIBLISTNO SYMTABNO UNREFEXTNO GOTSYM HIPAGENO =22 RLD_MAP \
    DELTA_CLASS DELTA_CLASS_NO DELTA_INSTANCE DELTA_INSTANCE_NO DELTA_RELOC DELTA_RELOC_NO \
    DELTA_SYM DELTA_SYM_NO =32 DELTA_CLASSSYM DELTA_CLASSSYM_NO CXX_FLAGS PIXIE_INIT SYMBOL_LIB \
    LOCALPAGE_GOTIDX LOCAL_GOTIDX HIDDEN_GOTIDX PROTECTED_GOTIDX OPTIONS INTERFACE DYNSTR_ALIGN \
    INTERFACE_SIZE RLD_TEXT_RESOLVE_ADDR PERF_SUFFIX COMPACT_SIZE GP_VALUE AUX_DYNAMIC PLTGOT =52 \
    RWPLT RLD_MAP_REL XHASH
    """)
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
