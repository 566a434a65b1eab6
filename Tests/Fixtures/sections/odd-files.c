/// Files that are nearly an image's: the proof looks at the build ID, or at all headers and
/// read-only segments. And symbol tables that contradict themselves. Image and file are made up
/// here.

#define _GNU_SOURCE
#include "sections/own-symbols.h"
#include "sections/proof.h"
#include "steps.h"

enum { SIZE = 1 << 19, SEGMENTS = 4 };

/// The file, and the image: what is loaded of it.
static _Alignas(4096) char contents[SIZE], memory[SIZE];
static struct crebind_portraits portraits;
static struct crebind_portrait portrait;
static struct crebind_file file;
static ElfW(Ehdr) * header;
static ElfW(Phdr) * segments;

static void begin(void) {
  memset(contents, 0, SIZE);
  for (size_t i = 4096; i < SIZE; i++) contents[i] = (char)(i / 7);
  header = (ElfW(Ehdr) *)contents;
  segments = (ElfW(Phdr) *)(contents + sizeof *header);
  memcpy(header->e_ident, ELFMAG, SELFMAG);
  header->e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  header->e_ident[EI_DATA] =
      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  header->e_phoff = sizeof *header;
  header->e_phentsize = sizeof *segments;
  header->e_phnum = SEGMENTS;
  segments[0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 8192, .p_memsz = 8192};
  segments[1] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 8192,
                             .p_vaddr = 8192, .p_filesz = 150000, .p_memsz = 150000};
  segments[2] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = 160000,
                             .p_vaddr = 160000, .p_filesz = 4096, .p_memsz = 4096};
  segments[3] =
      (ElfW(Phdr)){.p_type = PT_NOTE, .p_flags = PF_R, .p_offset = 4096, .p_filesz = 4096};
  memcpy(memory, contents, SIZE);
  memset(memory + 160000, 1, 4096);
  crebind_vector_truncate(&portraits.bytes, 0);
  char *bytes = crebind_vector_append(&portraits.bytes, 8 + SEGMENTS * sizeof *segments);
  CHECK(bytes != NULL);
  memcpy(bytes + 8, segments, SEGMENTS * sizeof *segments);
  portrait = (struct crebind_portrait){
      .bias = (uintptr_t)memory, .header = (uintptr_t)memory, .has_elf_header = true,
      .elf_header = *header, .phdr = 8, .phnum = SEGMENTS};
  file = (struct crebind_file){-1, contents, SIZE, 0};
}

static void expect(crebind_status expected) {
  crebind_status status = crebind_proof(&file, &portraits, &portrait);
  if (status != expected) fprintf(stderr, "status %d, not %d\n", status, expected);
  CHECK(status == expected);
}
/// A change that makes it another image's file.
#define OTHER(change)           \
  do {                          \
    change;                     \
    expect(CREBIND_OTHER_FILE); \
    begin();                    \
    expect(CREBIND_OK);         \
  } while (0)
/// The same without its header in memory.
#define OTHER_WITHOUT_HEADER(change)  \
  do {                                \
    portrait.has_elf_header = false;  \
    OTHER(change);                    \
  } while (0)

// MARK: - Headers and segments

static void check_contents(void) {
  begin();
  expect(CREBIND_OK);
  OTHER(portrait.is_overwritten = true);
  OTHER(portrait.has_text_relocations = true);
  OTHER(file.size = sizeof *header - 1);
  OTHER(header->e_ident[EI_CLASS] ^= 3);
  OTHER(header->e_phentsize++);
  OTHER(header->e_version++);
  // Without its header in memory the segments tell.
  portrait.has_elf_header = false;
  expect(CREBIND_OK);
  OTHER_WITHOUT_HEADER(header->e_phnum--);
  OTHER_WITHOUT_HEADER(header->e_phnum = header->e_phentsize = 0);
  OTHER_WITHOUT_HEADER(header->e_phoff = SIZE);
  OTHER_WITHOUT_HEADER(segments[2].p_align++);

  // A byte of what is read-only, near the end of it; what is written to does not count.
  OTHER(contents[8192 + 149999]++);
  contents[160000]++;
  expect(CREBIND_OK);
  OTHER(file.size = 100000);
  // But for the symbols, which a rebinding changes, wherever they begin and end.
  const uintptr_t start = (uintptr_t)memory + 100000;
  for (uintptr_t i = 0; i < 3; i++) {
    contents[100000 + i]++;
    portrait.symbols = (struct crebind_range){start, start + 2};
    expect(i < 2 ? CREBIND_OK : CREBIND_OTHER_FILE);
  }
  begin();
  portrait.symbols = (struct crebind_range){start + SIZE, start + SIZE + 1};
  expect(CREBIND_OK);

  // Nothing of it is read-only.
  ElfW(Phdr) *known = (ElfW(Phdr) *)(portraits.bytes.data + 8);
  for (int i = 0; i < 2; i++) known[i].p_flags = segments[i].p_flags = PF_R | PF_W;
  OTHER(memcpy(memory, contents, sizeof *header + SEGMENTS * sizeof *segments));
}

// MARK: - Build IDs

/// Adds a note to the file; returns where the next one is.
static size_t add_note(size_t at, const char *owner, uint32_t type, const char *id, size_t size,
                       size_t alignment) {
  *(ElfW(Nhdr) *)(contents + at) = (ElfW(Nhdr)){4, (uint32_t)size, type};
  memcpy(contents + at + sizeof(ElfW(Nhdr)), owner, 4);
  size_t description = (at + sizeof(ElfW(Nhdr)) + 4 + alignment - 1) & -alignment;
  memcpy(contents + description, id, size);
  return (description + size + alignment - 1) & -alignment;
}

static void begin_build_id(const char *id, size_t size) {
  begin();
  memset(contents + 4096, 0, 4096);
  char *bytes = crebind_vector_append(&portraits.bytes, size);
  CHECK(bytes != NULL);
  portrait.build_id = (size_t)(bytes - portraits.bytes.data);
  portrait.build_id_size = size;
  memcpy(bytes, id, size);
}

static void check_build_ids(void) {
  static const char id[] = "0123456789abcdef", other[] = "0123456789abcdee";
  const size_t size = sizeof id - 1;
  // Behind notes of other types, owners, sizes and contents.
  begin_build_id(id, size);
  size_t at = add_note(4096, "GNU", NT_GNU_BUILD_ID + 1, id, size, 4);
  at = add_note(at, "GNU", NT_GNU_BUILD_ID, id, size - 1, 4);
  at = add_note(at, "ABC", NT_GNU_BUILD_ID, id, size, 4);
  at = add_note(at, "GNU", NT_GNU_BUILD_ID, other, size, 4);
  size_t last = at;
  at = add_note(at, "GNU", NT_GNU_BUILD_ID, id, size, 4);
  expect(CREBIND_OK);
  // The segment or the file ends before it.
  segments[3].p_filesz = last - 4096;
  expect(CREBIND_OTHER_FILE);
  segments[3].p_filesz = 4096;
  file.size = last + sizeof(ElfW(Nhdr));
  expect(CREBIND_OTHER_FILE);
  file.size = last + 4;
  expect(CREBIND_OTHER_FILE);
  file.size = SIZE;
  ((ElfW(Nhdr) *)(contents + last))->n_namesz = 5;
  expect(CREBIND_OTHER_FILE);

  // Aligned to 8 bytes, and in a section.
  begin_build_id(id, size);
  at = add_note(4096, "GNU", NT_GNU_BUILD_ID + 1, id, 3, 8);
  add_note(at, "GNU", NT_GNU_BUILD_ID, id, size, 8);
  expect(CREBIND_OTHER_FILE);
  segments[3].p_align = 8;
  expect(CREBIND_OK);
  segments[3].p_type = PT_NULL;
  expect(CREBIND_OTHER_FILE);
  ElfW(Shdr) *sections = (ElfW(Shdr) *)(contents + 16384);
  memset(sections, 0, 4096);
  sections[1] = (ElfW(Shdr)){
      .sh_type = SHT_NOTE, .sh_offset = 4096, .sh_size = 4096, .sh_addralign = 8};
  header->e_shoff = 16384;
  header->e_shnum = 2;
  expect(CREBIND_OK);
  header->e_shoff = SIZE;
  expect(CREBIND_OTHER_FILE);
  header->e_phoff = SIZE;
  expect(CREBIND_OTHER_FILE);

  // More notes, segments and sections than anybody reads, and an ID that is too long.
  begin_build_id(id, size);
  segments[3].p_filesz = SIZE - 4096;
  memset(contents + 4096, 0, SIZE - 4096);
  add_note(4096 + 5000 * sizeof(ElfW(Nhdr)), "GNU", NT_GNU_BUILD_ID, id, size, 4);
  expect(CREBIND_OTHER_FILE);
  memset(contents, 0, SIZE);
  begin_build_id(id, size);
  add_note(16, "GNU", NT_GNU_BUILD_ID, "", 0, 4);
  memset(segments, 0, SIZE - sizeof *header);
  header->e_phnum = header->e_shnum = UINT16_MAX;
  header->e_phoff = 64;
  header->e_shoff = 64;
  static char longer[100];
  expect(CREBIND_OTHER_FILE);
  begin_build_id(longer, sizeof longer);
  add_note(4096, "GNU", NT_GNU_BUILD_ID, longer, sizeof longer, 4);
  expect(CREBIND_OTHER_FILE);
}

// MARK: - Symbol tables

static ElfW(Shdr) * sections;
static ElfW(Sym) * symbols;
static char *strings;

static void begin_symbols(void) {
  begin();
  memset(contents + 4096, 0, SIZE - 4096);
  header->e_shoff = 4096;
  header->e_shentsize = sizeof *sections;
  header->e_shnum = 3;
  sections = (ElfW(Shdr) *)(contents + 4096);
  symbols = (ElfW(Sym) *)(contents + 8192);
  strings = contents + 16384;
  sections[1] = (ElfW(Shdr)){.sh_type = SHT_SYMTAB, .sh_offset = 8192, .sh_link = 2,
                             .sh_size = 4 * sizeof *symbols, .sh_entsize = sizeof *symbols};
  sections[2] = (ElfW(Shdr)){.sh_type = SHT_STRTAB, .sh_offset = 16384, .sh_size = 16};
  memcpy(strings, "\0other\0an_own", 14);
  symbols[1] = (ElfW(Sym)){.st_name = 10, .st_info = STT_FUNC, .st_shndx = 1};
  symbols[2] = (ElfW(Sym)){.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1};
}

static void expect_own(crebind_status expected, enum crebind_own expected_own) {
  enum crebind_own own = CREBIND_OWN_DATA;
  crebind_status status = crebind_read_own_symbol(&file, "own", &own);
  if (status != expected || own != expected_own)
    fprintf(stderr, "status %d, own %d, not %d, %d\n", status, own, expected, expected_own);
  CHECK(status == expected && own == expected_own);
}

/// Changes of the symbol table, and what comes of them.
#define EXPECT_OWN(status, ...)             \
  do {                                      \
    begin_symbols();                        \
    (void)(__VA_ARGS__);                    \
    expect_own(status, CREBIND_OWN_NONE);   \
  } while (0)

static void check_symbols(void) {
  const struct {
    unsigned char info, other;
    uint16_t section;
    enum crebind_own own;
  } kinds[] = {
      {STT_FUNC, STV_DEFAULT, 1, CREBIND_OWN_LOCAL},
      {STT_NOTYPE, STV_DEFAULT, 1, CREBIND_OWN_LOCAL},
      {STB_GLOBAL << 4 | STT_GNU_IFUNC, STV_DEFAULT, 1, CREBIND_OWN_UNEXPORTED},
      {STB_GLOBAL << 4 | STT_FUNC, STV_HIDDEN, 1, CREBIND_OWN_HIDDEN},
      {STB_GLOBAL << 4 | STT_FUNC, STV_INTERNAL, 1, CREBIND_OWN_HIDDEN},
      {STT_FUNC, STV_DEFAULT, SHN_UNDEF, CREBIND_OWN_NONE},
      {STT_FUNC, STV_DEFAULT, SHN_ABS, CREBIND_OWN_NONE},
      {STT_OBJECT, STV_DEFAULT, 1, CREBIND_OWN_DATA},
      {STT_COMMON, STV_DEFAULT, 1, CREBIND_OWN_DATA},
      {STT_TLS, STV_DEFAULT, 1, CREBIND_OWN_DATA},
      {STT_SECTION, STV_DEFAULT, 1, CREBIND_OWN_NONE},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    begin_symbols();
    symbols[1].st_info = kinds[i].info;
    symbols[1].st_other = kinds[i].other;
    symbols[1].st_shndx = kinds[i].section;
    expect_own(CREBIND_OK, kinds[i].own);
  }
  // The first section header has the number of sections.
  begin_symbols();
  header->e_shnum = 0;
  expect_own(CREBIND_NO_SECTION, CREBIND_OWN_NONE);
  sections[0].sh_size = 3;
  expect_own(CREBIND_OK, CREBIND_OWN_LOCAL);
  EXPECT_OWN(CREBIND_BROKEN_FILE, header->e_shnum = 0, sections[0].sh_size = SIZE);
  EXPECT_OWN(CREBIND_BROKEN_FILE, header->e_shnum = 0, sections[0].sh_size--);

  // Each number that leads out of the file, or is none.
  EXPECT_OWN(CREBIND_NO_SECTION, header->e_shoff = 0);
  EXPECT_OWN(CREBIND_BROKEN_FILE, header->e_shoff = SIZE);
  EXPECT_OWN(CREBIND_BROKEN_FILE, header->e_shentsize++);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[1].sh_entsize++);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[1].sh_link = 3);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[2].sh_type = SHT_PROGBITS);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[2].sh_size = 0);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[2].sh_size = 12);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[2].sh_size = SIZE);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[2].sh_offset = SIZE + 1);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[1].sh_size++);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[1].sh_offset = SIZE + 1);
  EXPECT_OWN(CREBIND_BROKEN_FILE, sections[1].sh_offset = SIZE - sizeof *symbols);
  EXPECT_OWN(CREBIND_BROKEN_FILE, file.size = sizeof *header - 1);
  if (sizeof sections->sh_size == 8)
    EXPECT_OWN(CREBIND_BROKEN_FILE,
               sections[2].sh_size = (__typeof__(sections->sh_size))(UINT64_C(1) << 33));
}

int main(void) {
  crebind_portraits_begin(&portraits);
  check_contents();
  check_build_ids();
  check_symbols();
  puts("proven");
}
