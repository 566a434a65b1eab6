#define _GNU_SOURCE
#include "sections/own-symbols.h"
#include "sections/find-file.h"

/// How many symbols are read at once.
enum { CHUNK = 2048 };

struct reading {
  const char *name;
  enum crebind_own own;
};

/// SHT_SYMTAB and the strings that it names.
struct tables {
  ElfW(Shdr) symbols, strings;
};

static crebind_status find_tables(struct crebind_file *file, struct tables *tables) {
  ElfW(Ehdr) header;
  if (!crebind_file_read(file, 0, &header, sizeof header)) return CREBIND_BROKEN_FILE;
  if (header.e_shoff == 0) return CREBIND_NO_SECTION;
  ElfW(Shdr) section;
  if (header.e_shentsize != sizeof section
      || !crebind_file_read(file, header.e_shoff, &section, sizeof section))
    return CREBIND_BROKEN_FILE;
  // The first section header has the number that does not fit into the ELF header.
  uint64_t count = header.e_shnum != 0 ? header.e_shnum : section.sh_size;
  if (count == 0) return CREBIND_NO_SECTION;
  crebind_status status;
  ElfW(Shdr) *sections = (ElfW(Shdr) *)crebind_file_part(
      file, header.e_shoff,
      count > CREBIND_LARGEST_PART / sizeof section ? UINT64_MAX : count * sizeof section,
      &status);
  if (sections == NULL) return status;
  status = CREBIND_NO_SECTION;
  for (size_t i = 0; i < count && status == CREBIND_NO_SECTION; i++) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    bool is_sound = sections[i].sh_entsize == sizeof(ElfW(Sym)) && sections[i].sh_link < count
                    && sections[sections[i].sh_link].sh_type == SHT_STRTAB;
    status = is_sound ? CREBIND_OK : CREBIND_BROKEN_FILE;
    if (is_sound) *tables = (struct tables){sections[i], sections[sections[i].sh_link]};
  }
  crebind_pages_free(sections, (size_t)count * sizeof section);
  return status;
}

static enum crebind_own own_of(const ElfW(Sym) * symbol) {
  unsigned type = symbol->st_info & 0xf, visibility = symbol->st_other & 3;
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS
      || (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
    return CREBIND_OWN_NONE;
  if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) return CREBIND_OWN_HIDDEN;
  return symbol->st_info >> 4 == STB_LOCAL ? CREBIND_OWN_LOCAL : CREBIND_OWN_UNEXPORTED;
}

/// \param names Ends with a zero byte.
static crebind_status search(struct crebind_file *file, const ElfW(Shdr) * table,
                             const char *names, size_t names_size, struct reading *reading) {
  uint64_t count = table->sh_size / sizeof(ElfW(Sym));
  ElfW(Sym) *symbols = crebind_pages(CHUNK * sizeof *symbols);
  if (symbols == NULL) return CREBIND_OUT_OF_MEMORY;
  crebind_status status = CREBIND_OK;
  for (uint64_t at = 0; at < count && status == CREBIND_OK; at += CHUNK) {
    size_t chunk = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
    if (!crebind_file_read(file, table->sh_offset + at * sizeof *symbols, symbols,
                           chunk * sizeof *symbols))
      status = CREBIND_BROKEN_FILE;
    for (size_t i = 0; i < chunk && status == CREBIND_OK; i++) {
      const char *name = names + symbols[i].st_name;
      if (symbols[i].st_name >= names_size || *name != *reading->name
          || !crebind_equal(name, reading->name))
        continue;
      enum crebind_own own = own_of(&symbols[i]);
      if (own > reading->own) reading->own = own;
    }
  }
  crebind_pages_free(symbols, CHUNK * sizeof *symbols);
  return status;
}

static crebind_status read_file(struct crebind_file *file, void *context) {
  struct reading *reading = context;
  struct tables tables;
  memset(&tables, 0, sizeof tables);
  reading->own = CREBIND_OWN_NONE;
  crebind_status status = find_tables(file, &tables);
  if (status != CREBIND_OK || tables.strings.sh_size == 0) return status;
  char *names =
      crebind_file_part(file, tables.strings.sh_offset, tables.strings.sh_size, &status);
  if (names == NULL) return status;
  size_t size = (size_t)tables.strings.sh_size;
  status = names[size - 1] == 0 ? search(file, &tables.symbols, names, size, reading)
                                : CREBIND_BROKEN_FILE;
  crebind_pages_free(names, size);
  return status;
}

crebind_status crebind_find_own_symbol(const struct crebind_portraits *portraits,
                                       const struct crebind_portrait *portrait, const char *name,
                                       enum crebind_own *own) {
  struct reading reading = {name, CREBIND_OWN_NONE};
  struct crebind_file_search search = crebind_find_file(portraits, portrait, read_file, &reading);
  *own = search.status == CREBIND_OK ? reading.own : CREBIND_OWN_NONE;
  return search.status;
}
