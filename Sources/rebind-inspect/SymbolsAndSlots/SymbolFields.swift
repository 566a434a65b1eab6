#if Commands

extension SymbolListing {
  /// The fields of a file's object.
  static let list = Record(
    "symbolList", of: "the file",
    [
      .pid, .loadBias,
      Declaration(
        "symbolSource",
        .words(["SHT_DYNSYM", "SHT_SYMTAB", "DT_HASH", "DT_GNU_HASH", "relocations"]).orNull,
        """
        the source of the number of symbols; see below. `null` if the file has no such symbols
        """),
      Declaration(
        "symbols", .list(symbol),
        """
        the dynamic symbols, or with `--all` those of linkers, that were asked for, by rising index; not the \
        null symbol at index 0
        """),
    ])

  /// The fields of a symbol.
  static let symbol = Record(
    "symbol", of: "a symbol",
    [
      Declaration("index", "INDEX", .index, "its index in the table"),
      Declaration(
        "name",
        Column(
          "NAME", isMangled: true, place: 1,
          "the name with the version; `@@` marks the default version"),
        .text, "the name without the version; `\"\"` if it has none"),
      .demangledName,
      Declaration(
        "version", .text.orNull, "the version that it has, or for an import the one that it wants"),
      Declaration(
        "isDefaultVersion", .bool.orNull,
        """
        true for `name@@version`, which a reference without a version binds to, false for \
        `name@version`; `null` without a version
        """),
      Declaration(
        "definedBy",
        Column("FROM", place: 2, "the path of the image that the import comes from"), .text.orNull,
        "the path of the image that the import comes from", when: .resolved),
      Declaration(
        "shadows",
        Column(
          "SHADOWS", place: 2, "the paths of the images that have it too, with commas between them"),
        .texts,
        "the paths of the images that have it too, further back in the order of the search",
        when: .resolved),
      Declaration("value", "VALUE", .hex, "`st_value`: for most symbols an address"),
      Declaration("size", "SIZE", .count, "`st_size`"),
      Declaration(
        "type", "TYPE", .term,
        "`NOTYPE`, `OBJECT`, `FUNC`, `SECTION`, `FILE`, `COMMON`, `TLS`, `IFUNC`"),
      Declaration("binding", "BINDING", .term, "`LOCAL`, `GLOBAL`, `WEAK`, `UNIQUE`"),
      Declaration(
        "visibility", "VISIBILITY", .words(["DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"]),
        "`DEFAULT`, `INTERNAL`, `HIDDEN`, `PROTECTED`"),
      Declaration(
        "sectionIndex",
        Column("SECTION", isRight: false, "the index of its section; `UND` for an import"), .half,
        "`st_shndx`: 0 if it is not defined here, 65521 for an absolute value"),
      Declaration("isDefined", .bool, "false for an import"),
    ])
}

extension Presence {
  static let resolved = with("`--resolve`")
}

#endif
