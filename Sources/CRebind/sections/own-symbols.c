#if defined(__linux__)
#define _GNU_SOURCE
#include "sections/own-symbols.h"
#include "elf/symbol.h"
#include "sections/find-file.h"

enum {
  /// How many symbols are read at once.
  SYMBOLS = 2048,
  /// How many bytes of their names.
  NAMES = 1 << 16,
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
  crebind_memory_free(sections, (size_t)count * sizeof section);
  return status;
}

// MARK: - Names

/// The name that is looked for, and where the names have it: it may end longer ones.
struct sought {
  const char *name;
  /// With the zero byte.
  size_t size;
  struct crebind_vector offsets;  // uint32_t, that rise
};

/// Notes each place in these bytes that has the name.
static bool note_places(struct sought *sought, const char *bytes, size_t size, uint64_t start) {
  for (size_t i = 0; i + sought->size <= size; i++) {
    if (bytes[i] != *sought->name || bytes[i + sought->size - 1] != 0
        || !crebind_equal(bytes + i, sought->name))
      continue;
    uint32_t *offset = crebind_vector_append(&sought->offsets, 1);
    if (offset == NULL) return false;
    *offset = (uint32_t)(start + i);
  }
  return true;
}

/// Looks for the name in all names of a file: they may be more than fit into memory.
static crebind_status find_name(struct crebind_file *file, const ElfW(Shdr) * table,
                                struct sought *sought) {
  char last;
  uint64_t total = table->sh_size;
  if (total == 0 || total > UINT32_MAX || table->sh_offset > file->size
      || total > file->size - table->sh_offset
      || !crebind_file_read(file, table->sh_offset + total - 1, &last, 1) || last != 0)
    return CREBIND_BROKEN_FILE;
  // A name that lies across two chunks is in the second one as a whole.
  size_t overlap = sought->size - 1, room = overlap + NAMES;
  char *bytes = crebind_memory(room);
  if (bytes == NULL) return CREBIND_OUT_OF_MEMORY;
  crebind_status status = CREBIND_OK;
  for (uint64_t at = 0; at < total && status == CREBIND_OK; at += NAMES) {
    size_t size = total - at < room ? (size_t)(total - at) : room;
    if (!crebind_file_read(file, table->sh_offset + at, bytes, size))
      status = CREBIND_BROKEN_FILE;
    else if (!note_places(sought, bytes, size, at))
      status = CREBIND_OUT_OF_MEMORY;
  }
  crebind_memory_free(bytes, room);
  return status;
}

static bool is_named(const struct sought *sought, const ElfW(Sym) * symbol) {
  size_t from = 0, to = sought->offsets.count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    uint32_t offset = *(uint32_t *)crebind_vector_at(&sought->offsets, middle);
    if (offset == symbol->st_name) return true;
    if (offset < symbol->st_name)
      from = middle + 1;
    else
      to = middle;
  }
  return false;
}

// MARK: - Symbols

static crebind_status find_symbol(struct crebind_file *file, const struct tables *tables,
                                  const struct sought *sought, enum crebind_own *own) {
  const ElfW(Shdr) *table = &tables->symbols;
  uint64_t count = table->sh_size / sizeof(ElfW(Sym));
  if (table->sh_size % sizeof(ElfW(Sym)) != 0 || table->sh_offset > file->size
      || table->sh_size > file->size - table->sh_offset)
    return CREBIND_BROKEN_FILE;
  ElfW(Sym) *symbols = crebind_memory(SYMBOLS * sizeof *symbols);
  if (symbols == NULL) return CREBIND_OUT_OF_MEMORY;
  crebind_status status = CREBIND_OK;
  for (uint64_t at = 0; at < count && status == CREBIND_OK; at += SYMBOLS) {
    size_t chunk = count - at < SYMBOLS ? (size_t)(count - at) : SYMBOLS;
    if (!crebind_file_read(file, table->sh_offset + at * sizeof *symbols, symbols,
                           chunk * sizeof *symbols))
      status = CREBIND_BROKEN_FILE;
    for (size_t i = 0; i < chunk && status == CREBIND_OK; i++) {
      if (symbols[i].st_name >= tables->strings.sh_size) status = CREBIND_BROKEN_FILE;
      enum crebind_own found = 
          crebind_own_of(symbols[i].st_info & 0xf, symbols[i].st_info >> 4,
                         symbols[i].st_other & 3, symbols[i].st_shndx);
      if (found > *own && is_named(sought, &symbols[i])) *own = found;
    }
  }
  crebind_memory_free(symbols, SYMBOLS * sizeof *symbols);
  return status;
}

crebind_status crebind_read_own_symbol(struct crebind_file *file, const char *name,
                                       enum crebind_own *own) {
  struct sought sought = {name, crebind_length(name) + 1, CREBIND_VECTOR(uint32_t)};
  struct tables tables;
  memset(&tables, 0, sizeof tables);
  *own = CREBIND_OWN_NONE;
  crebind_status status = find_tables(file, &tables);
  if (status == CREBIND_OK) status = find_name(file, &tables.strings, &sought);
  if (status == CREBIND_OK) status = find_symbol(file, &tables, &sought, own);
  if (status != CREBIND_OK) *own = CREBIND_OWN_NONE;
  crebind_vector_free(&sought.offsets);
  return status;
}

// MARK: - Images

struct reading {
  const char *name;
  enum crebind_own own;
};

static crebind_status read_file(struct crebind_file *file, void *context) {
  struct reading *reading = context;
  return crebind_read_own_symbol(file, reading->name, &reading->own);
}

crebind_status crebind_find_own_symbol(const struct crebind_portraits *portraits,
                                       const struct crebind_portrait *portrait, const char *name,
                                       enum crebind_own *own) {
  struct reading reading = {name, CREBIND_OWN_NONE};
  struct crebind_file_search search = crebind_find_file(portraits, portrait, read_file, &reading);
  *own = search.status == CREBIND_OK ? reading.own : CREBIND_OWN_NONE;
  return search.status;
}
#endif
