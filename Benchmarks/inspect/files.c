#define _GNU_SOURCE
#include "files.h"

#include <elf.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The number of a file's symbols and slots.
struct counts {
  size_t symbols, slots;
};

/// Read, not mapped: the peak of this process's memory counts as that of its children.
static size_t count_relocations(int file, const Elf64_Shdr *section) {
  static Elf64_Rela entries[1 << 12];
  size_t total = section->sh_size / sizeof *entries, count = 0;
  off_t offset = (off_t)section->sh_offset;
  for (ssize_t size; total > 0; total -= (size_t)size) {
    size_t wanted = total < 1 << 12 ? total : 1 << 12;
    size = pread(file, entries, wanted * sizeof *entries, offset) / (ssize_t)sizeof *entries;
    if (size <= 0) break;
    for (ssize_t i = 0; i < size; i++) count += ELF64_R_SYM(entries[i].r_info) != 0;
    offset += size * (ssize_t)sizeof *entries;
  }
  return count;
}

/// Nothing for a file that a floor cannot read.
static struct counts count(int file, Elf64_Off size) {
  const struct counts none = {0, 0};
  struct counts counts = none;
  Elf64_Ehdr header;
  if (pread(file, &header, sizeof header, 0) != sizeof header
      || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64
      || header.e_shstrndx >= header.e_shnum)
    return none;
  for (unsigned i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section;
    off_t offset = (off_t)(header.e_shoff + i * sizeof section);
    if (pread(file, &section, sizeof section, offset) != sizeof section) return none;
    // Debug information alone has headers of code and tables, without their contents.
    if (section.sh_type == SHT_NOBITS
            ? (section.sh_flags & SHF_EXECINSTR) != 0
            : section.sh_offset > size || section.sh_size > size - section.sh_offset)
      return none;
    if (section.sh_type == SHT_DYNSYM) counts.symbols = section.sh_size / sizeof(Elf64_Sym);
    if (section.sh_type == SHT_RELA && (section.sh_flags & SHF_ALLOC) != 0)
      counts.slots += count_relocations(file, &section);
  }
  return counts;
}

static void keep_larger(struct largest *largest, char *path, size_t count) {
  if (count > largest->count) *largest = (struct largest){path, count};
}

struct files find_files(char *const *folders, size_t most) {
  struct files files = {.paths = calloc(most, sizeof *files.paths)};
  if (files.paths == NULL) abort();
  FTS *walk = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
    if (entry->fts_info != FTS_F || entry->fts_statp->st_size < (off_t)sizeof(Elf64_Ehdr)) continue;
    int file = open(entry->fts_path, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    struct counts counts = count(file, (Elf64_Off)entry->fts_statp->st_size);
    close(file);
    if (counts.symbols == 0) continue;
    char *path = strdup(entry->fts_path);
    if (path == NULL) abort();
    keep_larger(&files.symbols, path, counts.symbols);
    keep_larger(&files.slots, path, counts.slots);
    if (files.count < most) files.paths[files.count++] = path;
  }
  if (walk != NULL) fts_close(walk);
  return files;
}
