#if Commands

extension RelocationReport {
  /// The JSON is written by hand, as files have many relocations; a test compares its keys with these.
  static let record = Record(
    "relocationList", of: "the file",
    [
      .pid, .loadBias,
      Declaration(
        "relocations", .list(table),
        """
        the tables of relocations: those that the dynamic table leads to, and those of sections that \
        it does not know of, as in object files
        """),
    ])

  /// The fields of a row of a table.
  static let row = Record(
    "relocationRow", of: "a row",
    [Declaration("table", .text, "the tag that led to its table, or the section's name")]
      + entry.fields)

  private static let table = Record(
    "relocationTable", of: "a table",
    [
      Declaration(
        "table", .text, "the tag that led to it, `\"DT_JMPREL\"`, or the section's name"),
      Declaration("kind", .words(["RELA", "REL", "RELR"]), "`\"RELA\"`, `\"REL\"` or `\"RELR\"`"),
      Declaration("offset", .hex, "its place in the file or image"),
      Declaration("size", .count, "its size"),
      Declaration(
        "target", .text.orNull, "the section that it is for, in an object file; else `null`"),
      Declaration(
        "entries", .list(entry),
        "the relocations; of `RELR` the addresses that it stands for, one by one"),
    ])

  /// The fields of a relocation.
  static let entry = Record(
    "relocation", of: "an entry",
    [
      Declaration(
        nil,
        Column("TABLE", place: -1), .text,
        "the tag that led to its table, or a section that the dynamic table does not know of"),
      Declaration(
        "address", "ADDRESS", .hex,
        "`r_offset`: an address, or in an object file an offset in the section"),
      Declaration(
        "type", "TYPE",
        .pattern("^(R_[A-Z0-9_]+|UNKNOWN\\+[0-9]+)(/(R_[A-Z0-9_]+|UNKNOWN\\+[0-9]+)){0,2}$").orNull,
        """
        the constant, `R_X86_64_JUMP_SLOT`. For MIPS of 64 bits up to three, with `/` between them. \
        `null` for `RELR` on machines whose relative relocation is not known
        """),
      Declaration(
        "typeValue", Shape.word.orNull,
        "the type as a number; for MIPS of 64 bits a byte for each; `null` as for `type`"),
      Declaration(
        "addend", Column("ADDEND", isRight: true, "`r_addend`; `-` if it is the word in place"),
        .number.orNull, "`r_addend`; `null` if it is the word in place"),
      Declaration("symbolIndex", .word, "its symbol's index in the table of symbols; 0 for none"),
      Declaration(
        "symbol", Column("SYMBOL", isMangled: true, "the symbol, with `@` and the version"),
        .text.orNull,
        "the symbol's name; of a section's symbol the section's name; `null` for none"),
      .demangledName,
      Declaration("version", .text.orNull, "the symbol's version; `null` for none"),
    ])
}

#endif
