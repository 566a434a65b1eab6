#define _GNU_SOURCE
#include "files.h"

#include <elf.h>
#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The dynamic symbols of a file that is mapped as a floor expects it; 0 for another one.
static size_t count_symbols(int file, off_t size) {
  Elf64_Ehdr header;
  if (pread(file, &header, sizeof header, 0) != sizeof header
      || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64
      || header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum)
    return 0;
  size_t count = 0;
  for (unsigned i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section;
    off_t offset = (off_t)header.e_shoff + (off_t)(i * sizeof section);
    if (pread(file, &section, sizeof section, offset) != sizeof section) return 0;
    // Debug information alone has the dynamic table without its contents.
    if ((section.sh_type == SHT_NOBITS && (section.sh_flags & SHF_EXECINSTR) != 0)
        || (section.sh_type != SHT_NOBITS
            && section.sh_offset + section.sh_size > (Elf64_Off)size))
      return 0;
    if (section.sh_type == SHT_DYNSYM) count = section.sh_size / sizeof(Elf64_Sym);
  }
  return count;
}

static void add(struct files *files, const char *path, size_t symbols, size_t most) {
  char *copy = strdup(path);
  if (copy == NULL) abort();
  if (symbols > files->largest_count) {
    files->largest = copy;
    files->largest_count = symbols;
  }
  if (files->count < most) files->paths[files->count++] = copy;
}

struct files find_files(char *const *folders, size_t most) {
  struct files files = {.paths = calloc(most, sizeof *files.paths)};
  if (files.paths == NULL) abort();
  FTS *walk = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
    if (entry->fts_info != FTS_F || entry->fts_statp->st_size < (off_t)sizeof(Elf64_Ehdr)) continue;
    int file = open(entry->fts_path, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    size_t symbols = count_symbols(file, entry->fts_statp->st_size);
    close(file);
    if (symbols != 0) add(&files, entry->fts_path, symbols, most);
  }
  if (walk != NULL) fts_close(walk);
  return files;
}
