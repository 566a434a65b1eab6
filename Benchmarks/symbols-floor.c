// The least work that `rebind-inspect symbols` can be: map the file, walk .dynsym, join the
// versions, write the same lines through one buffer.
//
//     cc -O2 -o symbols-floor Benchmarks/symbols-floor.c
//     cmp <(./symbols-floor FILE) <(rebind-inspect symbols FILE)
//     hyperfine -N './symbols-floor FILE' 'rebind-inspect symbols FILE'

#include "floor.h"

static const char *const types[16] = {
    "NOTYPE ", "OBJECT ", "FUNC ", "SECTION ", "FILE ", "COMMON ", "TLS ", [10] = "IFUNC "};
static const char *const bindings[16] = {"LOCAL ", "GLOBAL ", "WEAK ", [10] = "UNIQUE "};
static const char *const visibilities[4] = {"DEFAULT ", "INTERNAL ", "HIDDEN ", "PROTECTED "};

static void print(const char *file) {
  const Elf64_Ehdr *header = (const void *)file;
  const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
  const Elf64_Shdr *symbols = NULL;
  forget_versions();
  for (unsigned i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type == SHT_DYNSYM) symbols = &sections[i];
    read_versions(&sections[i], file + sections[i].sh_offset,
                  file + sections[sections[i].sh_link].sh_offset);
  }
  if (!symbols) return;

  const Elf64_Sym *symbol = (const void *)(file + symbols->sh_offset);
  const char *names = file + sections[symbols->sh_link].sh_offset;
  for (size_t i = 1; i < symbols->sh_size / sizeof *symbol; i++) {
    symbol++;
    put_number(i, 10);
    put(" ", 1);
    put_hexadecimal(symbol->st_value);
    put(" ", 1);
    put_number(symbol->st_size, 10);
    put(" ", 1);
    put_text(types[ELF64_ST_TYPE(symbol->st_info)]);
    put_text(bindings[ELF64_ST_BIND(symbol->st_info)]);
    put_text(visibilities[ELF64_ST_VISIBILITY(symbol->st_other)]);
    if (symbol->st_shndx == SHN_UNDEF) put("UND", 3);
    else if (symbol->st_shndx == SHN_ABS) put("ABS", 3);
    else put_number(symbol->st_shndx, 10);
    put(" ", 1);
    const char *name = names + symbol->st_name;
    put_text(*name ? name : "-");
    put_version(symbol, i, name);
  }
}
