#if Commands

/// The fields of a slot. Files have many slots, so `SlotListing.write` writes those that are known
/// without a process by hand; a test compares its keys with these.
extension SlotListing {
  static let record = Record("slot", of: "a slot", fileDeclarations + stateDeclarations)

  /// The fields of a file's object.
  static let list = Record(
    "slotList", of: "the file",
    [
      .pid, .loadBias,
      Declaration(
        "slots", .list(record),
        "the slots that were asked for, in the order of the relocations that fill them"),
    ])

  private static let fileDeclarations: [Declaration] = [
    Declaration("address", "ADDRESS", .hex, "its link-time address"),
    Declaration(
      "relocation", "RELOCATION", .pattern("^(R_[A-Z0-9_/]+|UNKNOWN\\+[0-9]+)$"),
      """
      the type of the relocation that fills it: the constant, `R_X86_64_JUMP_SLOT`. `R_MIPS_GLOB_DAT` stands \
      for a word of MIPS' global offset table too, which has no relocations
      """),
    Declaration("relocationValue", .index, "the type of the relocation as a number"),
    Declaration(
      "kind", "KIND", .words(["jumpSlot", "globDat", "absolute"]),
      """
      `jumpSlot`, `globDat`, or `absolute` for a pointer in data. Where a machine has one type for \
      what code loads from and pointers in data, as RISC-V, it is `absolute`
      """),
    Declaration(
      "symbol", Column("SYMBOL", isMangled: true, place: 2, "the name, with `@` and the version"),
      .name, "the symbol's name"),
    .demangledName,
    Declaration(
      "version", .text.orNull,
      "the version that it asks for or is defined as; `null` without"),
    Declaration(
      "addend",
      Column(
        "ADDEND", isRight: true, place: 1,
        "the addend; `-` if it is not known, as in a table without addends"),
      .number.orNull,
      """
      the relocation's addend, also where the loader ignores it. Of a relocation without one it is \
      the word in place for `absolute`, and else `null`
      """),
    Declaration(
      "added",
      Column(
        "ADDED", isRight: true, place: 1,
        "the addend that the loader adds to the symbol's address; `-` if it is not known"),
      .number.orNull,
      """
      the addend that the loader adds to the symbol's address: 0 where it ignores the relocation's, as \
      glibc does for the jump slots of `ld -z mark-plt`
      """),
    Declaration(
      "section", "SECTION", .text.orNull,
      "the name of the section that it lies in; `null` without section headers"),
    Declaration(
      "binding", "BINDING", .words(["lazy", "now"]),
      """
      `lazy` if the loader binds it at the first call, `now` if when the file is loaded, as musl's \
      does
      """),
    Declaration(
      "relro", Column("RELRO", "`relro` if it is read-only once relocated"), .bool,
      "true if it is read-only once relocated"),
    Declaration(
      "needs", "NEEDS", .words(["store", "mprotect"]),
      "the way to change it: `store`, or `mprotect` first"),
  ]
}

#endif
