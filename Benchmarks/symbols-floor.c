// The least work that `rebind-inspect symbols` can be: map the file, walk .dynsym, join the
// versions, write the same lines through one buffer. It trusts the file, reads the host's class
// and byte order only, and wants section headers, so it is a floor to measure against and no tool.
//
//     cc -O2 -o symbols-floor Benchmarks/symbols-floor.c
//     cmp <(./symbols-floor FILE) <(rebind-inspect symbols FILE)
//     hyperfine -N './symbols-floor FILE' 'rebind-inspect symbols FILE'

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[1 << 16];
static char *next = buffer;

static void flush(void) {
  for (char *rest = buffer; rest < next;) {
    ssize_t written = write(1, rest, (size_t)(next - rest));
    if (written <= 0) _exit(1);
    rest += written;
  }
  next = buffer;
}

static void put(const char *text, size_t length) {
  if (length > (size_t)(buffer + sizeof buffer - next)) flush();
  next = (char *)memcpy(next, text, length) + length;
}

static void put_text(const char *text) { put(text, strlen(text)); }

static void put_number(unsigned long number, unsigned base) {
  char digits[20], *first = digits + sizeof digits;
  do *--first = "0123456789abcdef"[number % base];
  while (number /= base);
  put(first, (size_t)(digits + sizeof digits - first));
}

static const char *const types[16] = {
    "NOTYPE ", "OBJECT ", "FUNC ", "SECTION ", "FILE ", "COMMON ", "TLS ", [10] = "IFUNC "};
static const char *const bindings[16] = {"LOCAL ", "GLOBAL ", "WEAK ", [10] = "UNIQUE "};
static const char *const visibilities[4] = {"DEFAULT ", "INTERNAL ", "HIDDEN ", "PROTECTED "};

static void print(const char *file) {
  const Elf64_Ehdr *header = (const void *)file;
  const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
  const Elf64_Shdr *symbols = NULL;
  const Elf64_Half *versions = NULL;
  static const char *defined[1 << 15], *needed[1 << 15];
  memset(defined, 0, sizeof defined);
  memset(needed, 0, sizeof needed);

  for (unsigned i = 0; i < header->e_shnum; i++) {
    const char *data = file + sections[i].sh_offset;
    const char *names = file + sections[sections[i].sh_link].sh_offset;
    if (sections[i].sh_type == SHT_DYNSYM) symbols = &sections[i];
    if (sections[i].sh_type == SHT_GNU_versym) versions = (const void *)data;
    if (sections[i].sh_type == SHT_GNU_verdef)
      for (const Elf64_Verdef *def = (const void *)data;;
           def = (const void *)((const char *)def + def->vd_next)) {
        const Elf64_Verdaux *name = (const void *)((const char *)def + def->vd_aux);
        defined[def->vd_ndx & 0x7fff] = names + name->vda_name;
        if (!def->vd_next) break;
      }
    if (sections[i].sh_type == SHT_GNU_verneed)
      for (const Elf64_Verneed *need = (const void *)data;;
           need = (const void *)((const char *)need + need->vn_next)) {
        for (const Elf64_Vernaux *name = (const void *)((const char *)need + need->vn_aux);;
             name = (const void *)((const char *)name + name->vna_next)) {
          needed[name->vna_other & 0x7fff] = names + name->vna_name;
          if (!name->vna_next) break;
        }
        if (!need->vn_next) break;
      }
  }
  if (!symbols) return;

  const Elf64_Sym *symbol = (const void *)(file + symbols->sh_offset);
  const char *names = file + sections[symbols->sh_link].sh_offset;
  for (size_t i = 1; i < symbols->sh_size / sizeof *symbol; i++) {
    symbol++;
    put_number(i, 10);
    put(" 0x", 3);
    put_number(symbol->st_value, 16);
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

    unsigned version = versions ? versions[i] & 0x7fff : 0;
    const char *definition = symbol->st_shndx != SHN_UNDEF ? defined[version] : NULL;
    if (version > 1 && definition) {
      if (definition != name) {
        put("@@", versions[i] & 0x8000 ? 1 : 2);
        put_text(definition);
      }
    } else if (version > 1 && needed[version]) {
      put("@", 1);
      put_text(needed[version]);
    }
    put("\n", 1);
  }
}

int main(int count, char **paths) {
  for (int i = 1; i < count; i++) {
    int descriptor = open(paths[i], O_RDONLY);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status)) return 1;
    char *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file == MAP_FAILED) return 1;
    // The heading that comes with several files.
    if (count > 2) {
      if (i > 1) put("\n", 1);
      put_text(paths[i]);
      put(":\n", 2);
    }
    print(file);
    munmap(file, (size_t)status.st_size);
    close(descriptor);
  }
  flush();
}
