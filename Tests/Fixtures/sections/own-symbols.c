/// The symbol tables of files, read without trust: a damaged one is broken and never read outside
/// of it, and one of any size is searched.
///
/// Usage: own-symbols SEED ROUNDS

#define _GNU_SOURCE
#include "sections/own-symbols.h"
#include "steps.h"
#include "chance.h"

__attribute__((noinline, used)) long price_of(long units) { return units * 7; }
static __attribute__((noinline, used)) long discount_of(long units) { return units / 2; }
long unit_count = 3;

static crebind_status look(const char *bytes, size_t size, const char *name,
                           enum crebind_own *own) {
  struct crebind_file file = {-1, bytes, size, 0};
  crebind_status status = crebind_read_own_symbol(&file, name, own);
  CHECK(status == CREBIND_OK || *own == CREBIND_OWN_NONE);
  return status;
}

static void expect(const char *bytes, size_t size, const char *name, enum crebind_own expected) {
  enum crebind_own own;
  CHECK(look(bytes, size, name, &own) == CREBIND_OK && own == expected);
}

// MARK: - A file with more names than memory is taken for

enum { LONG_NAMES = (1 << 26) + (1 << 20) };

static void check_large_file(void) {
  struct {
    ElfW(Ehdr) header;
    ElfW(Shdr) sections[3];
    ElfW(Sym) symbols[3];
    char names[LONG_NAMES];
  } *file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(file != MAP_FAILED);
  file->header.e_shoff = offsetof(__typeof__(*file), sections);
  file->header.e_shentsize = sizeof *file->sections;
  file->header.e_shnum = 3;
  file->sections[1] = (ElfW(Shdr)){.sh_type = SHT_SYMTAB,
                                   .sh_offset = offsetof(__typeof__(*file), symbols),
                                   .sh_size = sizeof file->symbols,
                                   .sh_link = 2,
                                   .sh_entsize = sizeof *file->symbols};
  file->sections[2] = (ElfW(Shdr)){.sh_type = SHT_STRTAB,
                                   .sh_offset = offsetof(__typeof__(*file), names),
                                   .sh_size = sizeof file->names};
  file->symbols[1] = (ElfW(Sym)){.st_info = STB_LOCAL << 4 | STT_FUNC, .st_shndx = 1};
  file->symbols[2] = (ElfW(Sym)){.st_info = STB_GLOBAL << 4 | STT_FUNC, .st_shndx = 1};
  const char *bytes = (const char *)file;
  // At the end, and across the borders of what is read at once.
  const size_t places[] = {LONG_NAMES - 9, 1, (1 << 16) - 9, (1 << 16) - 8, (1 << 16) - 1,
                           1 << 16};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    // All of it once: that takes time.
    file->sections[2].sh_size = i == 0 ? LONG_NAMES : 1 << 18;
    memcpy(file->names + places[i], "price_of", 9);
    file->symbols[1].st_name = file->symbols[2].st_name = (ElfW(Word))places[i];
    expect(bytes, sizeof *file, "price_of", CREBIND_OWN_UNEXPORTED);
    // The end of the name is another name.
    expect(bytes, sizeof *file, "ice_of", CREBIND_OWN_NONE);
    file->symbols[2].st_name += 2;
    expect(bytes, sizeof *file, "ice_of", CREBIND_OWN_UNEXPORTED);
    expect(bytes, sizeof *file, "price_of", CREBIND_OWN_LOCAL);
    memset(file->names + places[i], 0, 9);
  }
  enum crebind_own own;
  file->symbols[2].st_name = 1 << 18;
  CHECK(look(bytes, sizeof *file, "price_of", &own) == CREBIND_BROKEN_FILE);
  file->symbols[2].st_name = 0;
  file->names[(1 << 18) - 1] = 'x';
  CHECK(look(bytes, sizeof *file, "price_of", &own) == CREBIND_BROKEN_FILE);
  file->names[(1 << 18) - 1] = 0;
  file->sections[1].sh_size--;
  CHECK(look(bytes, sizeof *file, "price_of", &own) == CREBIND_BROKEN_FILE);
  munmap(file, sizeof *file);
}

// MARK: - This program, damaged

static char *read_program(size_t *size) {
  int descriptor = open("/proc/self/exe", O_RDONLY);
  off_t end = lseek(descriptor, 0, SEEK_END);
  CHECK(descriptor >= 0 && end > 0);
  char *bytes = malloc((size_t)end);
  CHECK(bytes != NULL && pread(descriptor, bytes, (size_t)end, 0) == end);
  close(descriptor);
  *size = (size_t)end;
  return bytes;
}

static uint64_t odd_number(size_t size) {
  const uint64_t numbers[] = {0,          1,          2,    size,        size - 1,   UINT64_MAX,
                              UINT32_MAX, INT32_MAX,  4095, any(),       any() % 64, any() % size,
                              UINT16_MAX, 1ULL << 63, 24,   1ULL << 26};
  return numbers[below(sizeof numbers / sizeof numbers[0])];
}

/// Puts odd numbers into a few fields that lead to the symbols, or into symbols.
static void damage(char *bytes, size_t size, size_t symbols) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)bytes;
  size_t sections = header->e_shoff, count = header->e_shnum;
  for (size_t i = below(3) + 1; i-- > 0;) {
    uint64_t number = odd_number(size);
    size_t offset, field = 1 + below(8);
    switch (below(8)) {
    case 0: offset = below(sizeof *header); break;
    case 1:
    case 2: offset = symbols + below(64 * sizeof(ElfW(Sym))); break;
    default: offset = sections + below(count * sizeof(ElfW(Shdr))); break;
    }
    if (offset <= size && field <= size - offset) memcpy(bytes + offset, &number, field);
  }
}

static size_t find_symbols(const char *bytes) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)bytes;
  const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(bytes + header->e_shoff);
  for (size_t i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_SYMTAB) return sections[i].sh_offset;
  CHECK(!"a symbol table");
  return 0;
}

int main(int count, char **arguments) {
  CHECK(count == 3 && price_of(1) == 7 && discount_of(2) == 1);
  chance = strtoull(arguments[1], NULL, 10);
  check_large_file();
  size_t size;
  char *bytes = read_program(&size);
  expect(bytes, size, "price_of", CREBIND_OWN_UNEXPORTED);
  expect(bytes, size, "discount_of", CREBIND_OWN_LOCAL);
  expect(bytes, size, "unit_count", CREBIND_OWN_DATA);
  expect(bytes, size, "no_such_price", CREBIND_OWN_NONE);
  size_t symbols = find_symbols(bytes), broken = 0;
  for (int round = atoi(arguments[2]); round > 0; round--) {
    // A little less of it, now and then; in memory of its own, so that a sanitizer sees its end.
    size_t rest = below(8) == 0 ? below(size) : size;
    char *copy = malloc(rest == 0 ? 1 : rest);
    CHECK(copy != NULL);
    memcpy(copy, bytes, rest);
    if (rest == size) damage(copy, size, symbols);
    enum crebind_own own;
    crebind_status status = look(copy, rest, "price_of", &own);
    CHECK(status == CREBIND_OK || status == CREBIND_BROKEN_FILE || status == CREBIND_NO_SECTION);
    broken += status == CREBIND_BROKEN_FILE;
    free(copy);
  }
  CHECK(broken > 10);
  free(bytes);
  puts("unharmed");
}
