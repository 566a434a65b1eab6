/// The tables of an image that is made up here, with numbers that contradict each other: dynamic
/// table, versions, notes, slots and definitions. Each mistake is told by its
/// tag, or the entry is left out.

#define _GNU_SOURCE
#include "binding/interceptor.h"
#include "binding/slot-scan.h"
#include "elf/note.h"
#include "elf/symbol.h"
#include "planning/slot-word.h"
#include "steps.h"

// MARK: - The image

enum { SIZE = 1 << 14, MOST_TAGS = 48 };

static _Alignas(4096) unsigned char memory[SIZE];
/// All that can be read, the same again as a second begin of the file, notes, code.
static ElfW(Phdr) segments[4];
static struct crebind_image image;
static ElfW(Dyn) *tags;
static size_t tag_count, used;

/// Room in the image, zeroed; the link-time address is the offset.
static void *take(size_t size) {
  used = (used + 15) & ~(size_t)15;
  CHECK(used + size <= SIZE);
  void *place = memory + used;
  used += size;
  return place;
}

static ElfW(Addr) offset_of(const void *place) {
  return (ElfW(Addr))((const unsigned char *)place - memory);
}

static void describe(size_t segment_count) {
  struct dl_phdr_info info = {.dlpi_addr = (ElfW(Addr))memory,
                              .dlpi_phdr = segments,
                              .dlpi_phnum = (ElfW(Half))segment_count};
  crebind_image_describe(&image, &info);
}

static void begin_image(void) {
  memset(memory, 0, SIZE);
  used = 64;
  tag_count = 0;
  tags = take(MOST_TAGS * sizeof *tags);
  segments[0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = SIZE, .p_memsz = SIZE};
  segments[1] = segments[0];
  segments[1].p_memsz = SIZE / 2;
  segments[2] = (ElfW(Phdr)){.p_type = PT_DYNAMIC, .p_vaddr = offset_of(tags),
                             .p_memsz = MOST_TAGS * sizeof *tags};
  segments[3] = (ElfW(Phdr)){.p_type = PT_NULL};
  describe(4);
  CHECK(image.header == (uintptr_t)memory && image.span.end == (uintptr_t)memory + SIZE);
}

static void set(ElfW(Sxword) tag, ElfW(Addr) value) {
  size_t i = 0;
  while (i < tag_count && tags[i].d_tag != tag) i++;
  CHECK(i < MOST_TAGS);
  tags[i].d_tag = (__typeof__(tags->d_tag))tag;
  tags[i].d_un.d_ptr = value;
  if (i == tag_count) tag_count++;
}

static struct crebind_dynamic dynamic;
static crebind_status decode(int64_t *tag) {
  *tag = 0;
  return crebind_dynamic_decode(&image, &dynamic, tag);
}
static void expect_sound(void) {
  int64_t tag;
  CHECK(decode(&tag) == CREBIND_OK);
}
static void set_sound(ElfW(Sxword) tag, ElfW(Addr) value) {
  set(tag, value);
  expect_sound();
}
static void expect_broken(int64_t expected) {
  int64_t tag;
  CHECK(decode(&tag) == CREBIND_BROKEN_IMAGE);
  if (tag != expected) fprintf(stderr, "tag %#lx, not %#lx\n", (long)tag, (long)expected);
  CHECK(tag == expected);
}

/// Breaks one value, and puts it back.
static void expect_broken_by(ElfW(Sxword) tag, ElfW(Addr) value, int64_t expected) {
  ElfW(Dyn) former[MOST_TAGS];
  size_t former_count = tag_count;
  memcpy(former, tags, sizeof former);
  set(tag, value);
  expect_broken(expected);
  memcpy(tags, former, sizeof former);
  tag_count = former_count;
}

static ElfW(Sym) *symbols;
static char *strings;
enum { SYMBOLS = 8, STRINGS = 128 };

/// Symbols and their names.
static void begin_tables(void) {
  begin_image();
  symbols = take(SYMBOLS * sizeof *symbols);
  strings = take(STRINGS);
  memcpy(strings, "\0first\0second\0__interceptor_first\0V1\0V2", 40);
  for (size_t i = 1; i < SYMBOLS; i++)
    symbols[i] = (ElfW(Sym)){.st_name = i == 1 ? 1 : 7, .st_info = STB_GLOBAL << 4 | STT_FUNC,
                             .st_shndx = 1, .st_value = 8};
  set(DT_SYMTAB, offset_of(symbols));
  set(DT_STRTAB, offset_of(strings));
  set(DT_STRSZ, STRINGS);
}

// MARK: - The dynamic table

static void check_dynamic(void) {
  begin_tables();
  expect_sound();
  CHECK(dynamic.symbols == symbols && dynamic.strings == strings);
  const ElfW(Addr) outside = SIZE + 64;

  // A table without its count has no entries.
  set(DT_VERNEED, outside);
  set_sound(DT_VERDEF, outside);
  CHECK(dynamic.verneed == NULL && dynamic.verdef == NULL);
  expect_broken_by(DT_VERDEFNUM, 1, DT_VERDEF);
  expect_broken_by(DT_VERNEEDNUM, 1, DT_VERNEED);

  // Fewer versions than symbols.
  size_t limit = dynamic.symbol_limit;
  set_sound(DT_VERSYM, SIZE - 2 * sizeof(ElfW(Half)));
  CHECK(dynamic.symbol_limit == 2 && limit > 2);

  expect_broken_by(DT_RELENT, sizeof(ElfW(Rel)) + 1, DT_RELENT);
  set_sound(DT_RELENT, sizeof(ElfW(Rel)));
  ElfW(Rel) *rel = take(4 * sizeof *rel);
  set(DT_RELSZ, 4 * sizeof *rel);
  expect_broken_by(DT_REL, outside, DT_REL);
  set(DT_REL, offset_of(rel));
  set_sound(DT_RELCOUNT, 100);
  CHECK(dynamic.relocations[1].count == 4 && dynamic.relocations[1].relative_count == 4);
  CHECK(!dynamic.relocations[1].is_rela);

  // The PLT's relocations are the last of DT_REL, or an unknown kind.
  set(DT_JMPREL, offset_of(rel + 3));
  set(DT_PLTREL, DT_REL);
  set_sound(DT_PLTRELSZ, sizeof *rel);
  CHECK(dynamic.relocations[1].count == 3
        && dynamic.relocations[CREBIND_JMPREL_TABLE].count == 1);
  set_sound(DT_PLTRELSZ, 5 * sizeof *rel);
  CHECK(dynamic.relocations[1].count == 4
        && dynamic.relocations[CREBIND_JMPREL_TABLE].count == 5);
  expect_broken_by(DT_PLTREL, 3, DT_PLTREL);

  // Relocations that no loader here applies, wherever they are, and those that nobody reads yet.
  CHECK(!dynamic.is_packed);
  set_sound(CREBIND_DT_ANDROID_REL, outside);
  CHECK(dynamic.is_packed);
  set_sound(CREBIND_DT_ANDROID_RELA, outside);
  CHECK(dynamic.is_packed);
  expect_broken_by(CREBIND_DT_CREL, offset_of(rel), CREBIND_DT_CREL);

  // Without an end the table ends with its segment.
  while (tag_count < MOST_TAGS) tags[tag_count++].d_tag = DT_DEBUG;
  tags[MOST_TAGS - 1] = (ElfW(Dyn)){.d_tag = DT_SYMBOLIC};
  expect_sound();
  CHECK(dynamic.symbolic);
}

static void check_hash(void) {
  begin_tables();
  // Buckets, the first symbol, words of the filter, its shift.
  uint32_t *hash = take(256);
  set(DT_GNU_HASH, offset_of(hash));
  const uint32_t broken[][2] = {{0, 1}, {1, 0}, {1, 3}, {1, 1 << 30}, {1 << 30, 1}};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    hash[0] = broken[i][0];
    hash[2] = broken[i][1];
    expect_broken(DT_GNU_HASH);
  }
  // A table that is empty counts those in front of it, but for the one of an executable.
  for (uint32_t first = 1; first <= 3; first += 2) {
    hash[0] = hash[2] = 1;
    hash[1] = first;
    expect_sound();
    CHECK(crebind_symbol_count(&dynamic) == (first == 1 ? 0 : 3));
  }
}

// MARK: - Versions

static const char *version_of(size_t index) {
  return crebind_symbol_version(&image, &dynamic, index).name;
}

/// The symbol loses its version with the changes.
#define NO_VERSION(symbol, ...) CHECK(((void)(__VA_ARGS__), version_of(symbol) == NULL))

static void check_versions(void) {
  begin_tables();
  ElfW(Half) *versions = take(SYMBOLS * sizeof *versions);
  ElfW(Verdef) *definitions = take(3 * sizeof *definitions);
  ElfW(Verdaux) *names = take(sizeof *names);
  ElfW(Verneed) *need = take(sizeof *need);
  ElfW(Vernaux) *needed = take(sizeof *needed);
  names->vda_name = 34;
  for (size_t i = 0; i < 3; i++)
    definitions[i] = (ElfW(Verdef)){
        .vd_ndx = (ElfW(Half))(i + 1), .vd_flags = i == 0 ? VER_FLG_BASE : 0,
        .vd_aux = (ElfW(Word))((char *)names - (char *)&definitions[i]),
        .vd_next = i < 2 ? sizeof *definitions : 0};
  *need = (ElfW(Verneed)){.vn_cnt = 1, .vn_aux = (ElfW(Word))((char *)needed - (char *)need)};
  *needed = (ElfW(Vernaux)){.vna_other = 9, .vna_name = 37};
  for (size_t i = 0; i < SYMBOLS; i++) versions[i] = (ElfW(Half))i;
  set(DT_VERSYM, offset_of(versions));
  set(DT_VERDEF, offset_of(definitions));
  set(DT_VERDEFNUM, 3);
  set(DT_VERNEED, offset_of(need));
  set_sound(DT_VERNEEDNUM, 1);
  CHECK(strcmp(version_of(2), "V1") == 0 && strcmp(version_of(3), "V1") == 0);
  CHECK(version_of(0) == NULL && version_of(1) == NULL && version_of(4) == NULL);
  CHECK(version_of(dynamic.symbol_limit) == NULL);
  versions[5] = 9;
  CHECK(strcmp(version_of(5), "V2") == 0);
  // The file's own name is no version.
  versions[6] = 2;
  definitions[1].vd_flags = VER_FLG_BASE;
  CHECK(version_of(6) == NULL);
  definitions[1].vd_flags = 0;

  // Records that lead out of the image, or that are fewer than they should be.
  NO_VERSION(3, definitions[2].vd_aux = SIZE);
  NO_VERSION(3, definitions[1].vd_next = SIZE);
  NO_VERSION(3, definitions[1].vd_next = 2);
  NO_VERSION(2, definitions[0].vd_next = 0);
  NO_VERSION(2, dynamic.verdef_count = 1, definitions[0].vd_next = sizeof *definitions);
  NO_VERSION(5, need->vn_aux = SIZE);
  NO_VERSION(5, need->vn_cnt = 0, need->vn_next = SIZE, dynamic.verneed_count = 2);
}

// MARK: - Symbols

static void check_symbols(void) {
  begin_tables();
  const struct {
    unsigned char info, other;
    uint16_t section;
    ElfW(Addr) value;
    bool is_exported_function;
  } kinds[] = {
      {STB_GLOBAL << 4 | STT_FUNC, STV_DEFAULT, 1, 8, true},
      {STB_WEAK << 4 | STT_FUNC, STV_PROTECTED, 1, 8, true},
      {STB_GLOBAL << 4 | STT_GNU_IFUNC, STV_DEFAULT, 1, 8, true},
      {STB_GLOBAL << 4 | STT_FUNC, STV_HIDDEN, 1, 8, false},
      {STB_GLOBAL << 4 | STT_FUNC, STV_INTERNAL, 1, 8, false},
      {STB_LOCAL << 4 | STT_FUNC, STV_DEFAULT, 1, 8, false},
      {STB_GLOBAL << 4 | STT_OBJECT, STV_DEFAULT, 1, 8, false},
      {STB_GLOBAL << 4 | STT_TLS, STV_DEFAULT, 1, 8, false},
      {STB_GLOBAL << 4 | STT_FUNC, STV_DEFAULT, SHN_UNDEF, 8, false},
      {STB_GLOBAL << 4 | STT_FUNC, STV_DEFAULT, SHN_ABS, 8, false},
      {STB_GLOBAL << 4 | STT_FUNC, STV_DEFAULT, 1, 0, false},
  };
  // One bucket of all symbols, and a filter that lets everything through.
  Elf_Symndx *hash = take(64 * sizeof *hash);
  hash[0] = 1;
  hash[1] = SYMBOLS;
  hash[2] = 2;
  hash[3 + 2] = 1;
  set_sound(DT_HASH, offset_of(hash));
  symbols[2].st_name = 14;
  const struct crebind_name name = {"first", 5, crebind_gnu_hash("first")};
  const struct crebind_name second = {"second", 6, crebind_gnu_hash("second")};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    ElfW(Sym) *symbol = &symbols[1];
    symbol->st_info = kinds[i].info;
    symbol->st_other = kinds[i].other;
    symbol->st_shndx = kinds[i].section;
    symbol->st_value = kinds[i].value;
    CHECK(crebind_is_exported_function(symbol) == kinds[i].is_exported_function);
    // Data and absolute symbols are offered, too.
    bool is_offered = kinds[i].is_exported_function || kinds[i].section == SHN_ABS
                      || (kinds[i].info & 0xf) == STT_OBJECT;
    CHECK(crebind_is_interceptor(&dynamic, &name) == is_offered);
  }
  symbols[1] = symbols[2];
  symbols[1].st_name = 1;
  symbols[1].st_shndx = SHN_ABS;
  symbols[1].st_value = 0;
  CHECK(crebind_is_interceptor(&dynamic, &name) && !crebind_is_interceptor(&dynamic, &second));
  char long_name[80];
  memset(long_name, 'n', sizeof long_name);
  long_name[70] = 0;
  const struct crebind_name too_long = {long_name, 70, crebind_gnu_hash(long_name)};
  CHECK(!crebind_is_interceptor(&dynamic, &too_long));

  // A name that would go on behind the strings.
  dynamic.strings_size = 5;
  CHECK(!crebind_symbol_is_named(&dynamic, &symbols[1], &name));
  CHECK(crebind_dynamic_string(&dynamic, 1) == NULL);
}

// MARK: - Notes

static char *notes;
static size_t notes_size;

static void add_note(const char *owner, uint32_t type, const void *description, size_t size) {
  ElfW(Nhdr) *note = (ElfW(Nhdr) *)(notes + notes_size);
  *note = (ElfW(Nhdr)){(uint32_t)strlen(owner) + 1, (uint32_t)size, type};
  char *at = (char *)(note + 1);
  strcpy(at, owner);
  at += (strlen(owner) + 4) & ~(size_t)3;
  if (size != 0) memcpy(at, description, size);
  notes_size = (size_t)(at - notes) + ((size + 3) & ~(size_t)3);
}

static void begin_notes(void) {
  begin_image();
  notes = take(512);
  notes_size = 0;
}
static void end_notes(void) {
  segments[3] = (ElfW(Phdr)){
      .p_type = PT_NOTE, .p_flags = PF_R, .p_vaddr = offset_of(notes), .p_memsz = notes_size};
  describe(4);
}

static void check_notes(void) {
  enum { GNU_PROPERTIES = 5, WANTED = 0xc0000000 };
  const uint32_t words = sizeof(ElfW(Addr)) / sizeof(uint32_t);
  begin_notes();
  end_notes();
  CHECK(crebind_note_property(&image, WANTED) == 0);
  add_note("GNU", NT_GNU_BUILD_ID, "", 0);
  // One of another size, one that ends too early, and another one.
  const uint32_t other[] = {WANTED, 8, 1, 2, 1, 4, 5, 0};
  add_note("GNU", GNU_PROPERTIES, other, words == 2 ? 32 : 28);
  const uint32_t cut[] = {1, 16, 7};
  add_note("GNU", GNU_PROPERTIES, cut, sizeof cut);
  add_note("GNU", GNU_PROPERTIES, cut, 4);
  // The padding behind the last one is missing.
  add_note("GNU", GNU_PROPERTIES, other + 4, 12);
  end_notes();
  CHECK(crebind_note_property(&image, WANTED) == 0);
  const uint32_t wanted[] = {1, 4, 5, 0, WANTED, 4, 3, 0};
  const uint32_t wanted_32[] = {1, 4, 5, WANTED, 4, 3};
  if (words == 2)
    add_note("GNU", GNU_PROPERTIES, wanted, sizeof wanted);
  else
    add_note("GNU", GNU_PROPERTIES, wanted_32, sizeof wanted_32);
  end_notes();
  CHECK(crebind_note_property(&image, WANTED) == 3);
  size_t size;
  CHECK(crebind_note_build_id(&image, &size) == NULL && size == 0);

  // A copy of CRebind: its word has to be there, and to be readable.
  begin_notes();
  uintptr_t distance = SIZE;
  add_note("Rebind", CREBIND_NT_LISTENER, &distance, sizeof distance - 1);
  end_notes();
  CHECK(!crebind_image_has_copy(&image));
  add_note("Rebind", CREBIND_NT_LISTENER, &distance, sizeof distance);
  end_notes();
  CHECK(!crebind_image_has_copy(&image));
  distance = 0;
  add_note("Rebind", CREBIND_NT_LISTENER, &distance, sizeof distance);
  end_notes();
  CHECK(crebind_image_has_copy(&image));

  // The last note's padding may be missing, and a note may be too long for what is left.
  begin_notes();
  add_note("GNU", NT_GNU_BUILD_ID, "12345", 5);
  notes_size -= 3;
  end_notes();
  CHECK(crebind_note_build_id(&image, &size) != NULL && size == 5);
  notes_size--;
  end_notes();
  CHECK(crebind_note_build_id(&image, &size) == NULL);

  // Sections: with contents, empty, from behind, and in what cannot be read.
  struct {
    uintptr_t start, end;
    char name[8];
  } description = {0, 0, "section"};
  const struct crebind_note note = {CREBIND_NT_SECTION, "Rebind", 7, (const char *)memory + 1024,
                                    sizeof description};
  struct crebind_noted_section section;
  for (int i = 0; i < 4; i++) {
    description.start = i == 2 ? 64 : 0;
    description.end = (i == 1 ? 0 : i == 2 ? 8 : 64) - sizeof(uintptr_t);
    if (i == 1) description.end = description.start - sizeof(uintptr_t);
    memcpy(memory + 1024, &description, sizeof description);
    segments[0].p_flags = segments[1].p_flags = i == 3 ? PF_W : PF_R;
    CHECK(crebind_note_section(&image, &note, &section) && strcmp(section.name, "section") == 0);
    CHECK((section.segment != NULL) == (i == 0) && section.is_broken == (i > 1));
  }

  // Of an image without a header the headers tell it from another one.
  uint64_t hash = crebind_image_fingerprint(&image);
  segments[0].p_offset = segments[1].p_offset = 4096;
  describe(4);
  CHECK(image.header == 0 && crebind_image_fingerprint(&image) != hash);
}

// MARK: - Slots

static size_t slots_seen;
static crebind_status slot_status;
static struct crebind_slot last_slot;
static crebind_status visit_slot(void *context, const struct crebind_slot *slot, uint32_t name) {
  (void)context, (void)name;
  slots_seen++;
  last_slot = *slot;
  return slot_status;
}

static void expect_slots(const struct crebind_slot_scan *scan, size_t expected) {
  slots_seen = 0;
  CHECK(crebind_slot_scan_visit(scan, &image, &dynamic, CREBIND_ALL_SLOT_KINDS, visit_slot, NULL)
        == slot_status);
  CHECK(slots_seen == expected);
}

static void check_slots(void) {
  begin_tables();
  const unsigned shift = sizeof(void *) == 8 ? 32 : 8;
  ElfW(Rel) *rel = take(3 * sizeof *rel);
  for (size_t i = 0; i < 3; i++) {
    // The last one names a symbol that is none.
    rel[i].r_offset = 128;
    rel[i].r_info = (__typeof__(rel->r_info))(i == 2 ? SIZE : i + 1) << shift | CREBIND_R_GLOB_DAT;
  }
  set(DT_REL, offset_of(rel));
  set_sound(DT_RELSZ, 3 * sizeof *rel);

  // No hash table counts the symbols: those that relocations name are looked at.
  const struct crebind_name item = {"first", 5, crebind_gnu_hash("first")};
  uint32_t table[16] = {0};
  struct crebind_names names;
  crebind_names_begin(&names, &item, table, 16);
  CHECK(crebind_names_add(&names) == 0);
  struct crebind_slot_scan scan;
  crebind_slot_scan_begin(&scan);
  CHECK(crebind_slot_scan_match(&scan, &dynamic, &names) == CREBIND_OK);
  expect_slots(&scan, 1);
  CHECK(!last_slot.is_rela && last_slot.tag == DT_REL);
  // A definition asks for nothing.
  symbols[1].st_shndx = 1;
  CHECK(!crebind_slot_scan_asks(&scan, &dynamic));
  symbols[1].st_shndx = SHN_UNDEF;
  CHECK(crebind_slot_scan_asks(&scan, &dynamic));
  expect_slots(NULL, 3);
  slot_status = CREBIND_BUSY;
  expect_slots(&scan, 1);
  slot_status = CREBIND_OK;

  // Names that end with the table.
  dynamic.strings_size = 3;
  CHECK(crebind_slot_scan_match(&scan, &dynamic, &names) == CREBIND_OK);
  expect_slots(&scan, 0);

  // Two names of one hash.
  expect_sound();
  const struct crebind_name short_name = {"ab", 2, crebind_gnu_hash("ab")};
  CHECK(crebind_gnu_hash("bA") == short_name.gnu_hash);
  memcpy(strings + 64, "bA", 3);
  symbols[1].st_name = 64;
  memset(table, 0, sizeof table);
  crebind_names_begin(&names, &short_name, table, 16);
  CHECK(crebind_names_add(&names) == 0);
  CHECK(crebind_slot_scan_match(&scan, &dynamic, &names) == CREBIND_OK);
  expect_slots(&scan, 0);
  crebind_slot_scan_end(&scan);
}

/// The list of machines, and the row of this one, which the core's own constants come from.
static void check_machines(void) {
  const int bits = 8 * sizeof(void *);
  const crebind_machine *own = crebind_machine_with(CREBIND_MACHINE, bits);
  CHECK(own != NULL && own->name != NULL && own->jump_slot == CREBIND_R_JUMP_SLOT);
  CHECK(own->absolute == CREBIND_R_ABSOLUTE);
  CHECK(CREBIND_R_GLOB_DAT == (own->glob_dat == -1 ? own->absolute : own->glob_dat));
  const crebind_machine *wide = crebind_machine_with(EM_X86_64, 64);
  const crebind_machine *narrow = crebind_machine_with(EM_X86_64, 32);
  CHECK(wide->jump_slot == R_X86_64_JUMP_SLOT && wide->glob_dat == R_X86_64_GLOB_DAT);
  CHECK(wide->absolute == R_X86_64_64 && narrow->absolute == R_X86_64_32);
  CHECK(wide->copy == R_X86_64_COPY && wide->relative == R_X86_64_RELATIVE);
  CHECK(wide->addends == CREBIND_ADDENDS_IGNORED && strcmp(wide->prefix, "R_X86_64_") == 0);
  CHECK(crebind_machine_with(EM_386, 32) == crebind_machine_with(EM_386, 64));
  CHECK(crebind_machine_with(EM_NONE, 64) == NULL);
}

int main(void) {
  check_machines();
  check_dynamic();
  check_hash();
  check_versions();
  check_symbols();
  check_notes();
  check_slots();
  puts("told");
}
