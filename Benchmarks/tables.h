/// The relocation tables of an image, decoded without the core's help: what
/// the scan and fishhook's loop walk.

#ifndef TABLES_H
#define TABLES_H

#include <link.h>
#include <stddef.h>

struct tables {
  ElfW(Addr) bias;
  const ElfW(Sym) * symbols;
  const char *strings;
  /// DT_RELA or DT_REL, and DT_JMPREL.
  struct table {
    const char *data;
    size_t count, stride, relative_count;
  } tables[2];
};

struct tables tables_of(const struct dl_phdr_info *info);

/// An entry's r_offset and r_info; an ElfW(Rela) begins with them as well.
static inline const ElfW(Rel) * relocation_at(const struct table *table, size_t index) {
  return (const ElfW(Rel) *)(table->data + index * table->stride);
}

#if __SIZEOF_POINTER__ == 8
#define R_SYM(info) ELF64_R_SYM(info)
#else
#define R_SYM(info) ELF32_R_SYM(info)
#endif

#endif
