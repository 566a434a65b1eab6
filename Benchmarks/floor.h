// The common part of the programs that do the least work that listing can be: map the file, write
// through one buffer. They trust the file, read the host's class and byte order only, and want
// section headers, so each is a floor to measure against and no tool.

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: - Output

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

static void put_hexadecimal(unsigned long number) {
  put("0x", 2);
  put_number(number, 16);
}

// MARK: - Versions

static const char *defined[1 << 15], *needed[1 << 15];
/// How many of them may be in use.
static size_t version_limit;
static const Elf64_Half *versions;

static void forget_versions(void) {
  memset(defined, 0, version_limit * sizeof *defined);
  memset(needed, 0, version_limit * sizeof *needed);
  version_limit = 0;
  versions = NULL;
}

static void set_version(const char **table, unsigned index, const char *name) {
  index &= 0x7fff;
  table[index] = name;
  if (index >= version_limit) version_limit = index + 1;
}

static void read_versions(const Elf64_Shdr *section, const char *data, const char *names) {
  if (section->sh_type == SHT_GNU_versym) versions = (const void *)data;
  if (section->sh_type == SHT_GNU_verdef)
    for (const Elf64_Verdef *def = (const void *)data;;
         def = (const void *)((const char *)def + def->vd_next)) {
      const Elf64_Verdaux *name = (const void *)((const char *)def + def->vd_aux);
      set_version(defined, def->vd_ndx, names + name->vda_name);
      if (!def->vd_next) break;
    }
  if (section->sh_type == SHT_GNU_verneed)
    for (const Elf64_Verneed *need = (const void *)data;;
         need = (const void *)((const char *)need + need->vn_next)) {
      for (const Elf64_Vernaux *name = (const void *)((const char *)need + need->vn_aux);;
           name = (const void *)((const char *)name + name->vna_next)) {
        set_version(needed, name->vna_other, names + name->vna_name);
        if (!name->vna_next) break;
      }
      if (!need->vn_next) break;
    }
}

/// A symbol's version as it follows the name, and the end of the line.
static void put_version(const Elf64_Sym *symbol, size_t index, const char *name) {
  unsigned version = versions ? versions[index] & 0x7fff : 0;
  const char *definition = symbol->st_shndx != SHN_UNDEF ? defined[version] : NULL;
  if (version > 1 && definition) {
    if (definition != name) {
      put("@@", versions[index] & 0x8000 ? 1 : 2);
      put_text(definition);
    }
  } else if (version > 1 && needed[version]) {
    put("@", 1);
    put_text(needed[version]);
  }
  put("\n", 1);
}

// MARK: - Files

/// Lists one file, which is mapped.
static void print(const char *file);

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
