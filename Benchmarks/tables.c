#define _GNU_SOURCE
#include "tables.h"

struct tables tables_of(const struct dl_phdr_info *info) {
  struct tables tables = {.bias = info->dlpi_addr};
  const ElfW(Dyn) *entry = NULL;
  for (size_t i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  size_t size = 0, plt_size = 0;
  tables.tables[0].stride = tables.tables[1].stride = sizeof(ElfW(Rela));
  for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
    // Some loaders relocate the pointers in place, some do not.
    ElfW(Addr) value = entry->d_un.d_ptr;
    ElfW(Addr) address = value < tables.bias ? tables.bias + value : value;
    switch (entry->d_tag) {
    case DT_SYMTAB: tables.symbols = (const ElfW(Sym) *)address; break;
    case DT_STRTAB: tables.strings = (const char *)address; break;
    case DT_REL: tables.tables[0].stride = sizeof(ElfW(Rel)); /* fall through */
    case DT_RELA: tables.tables[0].data = (const char *)address; break;
    case DT_RELSZ:
    case DT_RELASZ: size = value; break;
    case DT_RELCOUNT:
    case DT_RELACOUNT: tables.tables[0].relative_count = value; break;
    case DT_JMPREL: tables.tables[1].data = (const char *)address; break;
    case DT_PLTRELSZ: plt_size = value; break;
    case DT_PLTREL:
      if (value == DT_REL) tables.tables[1].stride = sizeof(ElfW(Rel));
      break;
    }
  }
  tables.tables[0].count = size / tables.tables[0].stride;
  tables.tables[1].count = plt_size / tables.tables[1].stride;
  return tables;
}
