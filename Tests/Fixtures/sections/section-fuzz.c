/// Files and notes with numbers that contradict each other: an error or an answer that
/// lies in the image, and nothing read outside of what is there.
///
/// Usage: section-fuzz SEED ROUNDS PLUGIN: section-plugin.c, with -DNOTED and a build ID, in a
/// folder to write to.

#include "steps.h"
#include "chance.h"

static char original[1 << 20], contents[1 << 20];
static size_t size;

// MARK: - Chance

static uint64_t odd_number(void) {
  const uint64_t numbers[] = {0,    1,          2,           3,          7,
                              size, size - 1,   UINT64_MAX,  UINT32_MAX, UINT64_C(1) << 63,
                              4095, UINT16_MAX, INT32_MAX,   any(),      any() % 256,
                              16,   any() % (1 << 16)};
  return numbers[below(sizeof numbers / sizeof numbers[0])];
}

/// Stores as much of an odd number as fits a field.
static void spoil(size_t offset, size_t field) {
  uint64_t number = odd_number();
  if (offset <= size && field <= size - offset) memcpy(contents + offset, &number, field);
}

// MARK: - Files

static void write_file(const char *path, const char *bytes, size_t count) {
  char scratch[4200];
  snprintf(scratch, sizeof scratch, "%s.new", path);
  int descriptor = open(scratch, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  CHECK(descriptor >= 0 && write(descriptor, bytes, count) == (ssize_t)count);
  close(descriptor);
  unlink(path);  // A rename that replaces waits for the disk.
  CHECK(rename(scratch, path) == 0);
}

static size_t spoil_file(void) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)original;
  const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(original + header->e_shoff);
  memcpy(contents, original, size);
  for (size_t i = below(3) + 1; i-- > 0;) {
    size_t section = below(header->e_shnum);
    switch (below(8)) {
    case 0: spoil(offsetof(ElfW(Ehdr), e_shoff), sizeof header->e_shoff); break;
    case 1: spoil(offsetof(ElfW(Ehdr), e_shentsize) + 2 * below(3), 2); break;
    case 2: spoil(offsetof(ElfW(Ehdr), e_phoff), sizeof header->e_phoff); break;
    case 3: return below(size);
    case 4:  // names
      spoil(sections[header->e_shstrndx].sh_offset + below(sections[header->e_shstrndx].sh_size),
            1);
      break;
    case 5: section = header->e_shstrndx; /* fallthrough */
    default: {
      size_t field = below(sizeof(ElfW(Shdr)) / 4) * 4;
      spoil(header->e_shoff + section * sizeof(ElfW(Shdr)) + field, below(2) ? 8 : 4);
    }
    }
  }
  return size;
}

/// From our note on, and the segment's place: the loader looks at what is before it, and
/// on 32-bit machines at all of the segment.
static size_t spoil_notes(void) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)original;
  memcpy(contents, original, size);
  ElfW(Phdr) *segments = (ElfW(Phdr) *)(contents + header->e_phoff);
  for (size_t i = 0; i < header->e_phnum; i++) {
    if (segments[i].p_type != PT_NOTE) continue;
    const char *notes = original + segments[i].p_offset;
    const char *owner = memmem(notes, segments[i].p_filesz, "Rebind", sizeof "Rebind");
    if (owner == NULL) continue;
    size_t start = (size_t)(owner - 12 - original);
    size_t count = segments[i].p_offset + segments[i].p_filesz - start;
    for (size_t n = below(3) + 1; n-- > 0;) {
      size_t offset = below(count / 4) * 4;
      spoil(start + offset, count - offset >= 8 && below(2) ? 8 : 4);
    }
    if (sizeof(void *) == 4) continue;
    if (below(4) == 0) segments[i].p_memsz = (ElfW(Addr))odd_number();
    if (below(8) == 0) segments[i].p_vaddr = (ElfW(Addr))odd_number();
  }
  return size;
}

// MARK: - Answers

static int sections_seen;

static void check_section(const crebind_section *section, void *header) {
  CHECK(strlen(section->name) < size);
  sections_seen++;
  if (section->address == 0 || section->size == 0) return;
  CHECK(section->size <= sizeof contents + (1 << 20));
  CHECK(crebind_image_containing((const void *)section->address) == header);
  CHECK(crebind_image_containing((const void *)(section->address + section->size - 1)) == header);
}

static void visit(const crebind_section *section, void *count) {
  (void)section;
  ++*(int *)count;
}

static void check_annotation(const crebind_annotation *annotation, void *context) {
  (void)annotation, (void)context;
}

static void check_image(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
}

static int counts[CREBIND_BROKEN_FILE + 1];

static void check(const char *path) {
  void *image = dlopen(path, RTLD_NOW);
  if (image == NULL) return;
  const void *(*own_start)(void) = FIND(image, "own_start");
  const void *header = crebind_image_containing(own_start());
  size_t count = spoil_file();
  write_file(path, contents, count);
  crebind_error error;
  crebind_status status = crebind_sections(header, check_section, (void *)header, &error);
  counts[status]++;
  int visits = 0;
  crebind_section_data(header, ".dynamic", visit, &visits, NULL);
  status = crebind_section_data(header, "own_section", check_section, (void *)header, NULL);
  CHECK(visits <= 1);
  CHECK(crebind_annotations(NULL, check_annotation, NULL, NULL) == CREBIND_OK);
  CHECK(crebind_copies(check_image, NULL, NULL) == CREBIND_OK);
  CHECK(dlclose(image) == 0);
}

/// A section that ends behind the end of the file, which says all else as it is.
static void check_size(const char *path) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)contents;
  write_file(path, original, size);
  void *image = OPEN(path, RTLD_NOW);
  const void *own = ((const void *(*)(void))FIND(image, "own_start"))();
  memcpy(contents, original, size);
  ElfW(Shdr) *sections = (ElfW(Shdr) *)(contents + header->e_shoff);
  sections[header->e_shnum - 2].sh_size = size;
  write_file(path, contents, size);
  crebind_error error;
  CHECK(crebind_sections(crebind_image_containing(own), check_section, NULL, &error)
        == CREBIND_BROKEN_FILE);
  CHECK(error.address == header->e_shoff + (header->e_shnum - 2u) * sizeof(ElfW(Shdr)));
  CHECK(dlclose(image) == 0);
}

/// So many sections of a name so long that reading each one's takes longer than half a minute of the
/// processor's time.
static void check_names(const char *path) {
  enum { COUNT = 1 << 16, LENGTH = 1 << 20 };
  write_file(path, original, size);
  void *image = OPEN(path, RTLD_NOW);
  const void *own = ((const void *(*)(void))FIND(image, "own_start"))();
  memcpy(contents, original, size);
  ElfW(Ehdr) *header = (ElfW(Ehdr) *)contents;
  const size_t offset = 1 << 21;
  header->e_shoff = offset;
  header->e_shnum = 0;
  header->e_shstrndx = SHN_XINDEX;
  write_file(path, contents, size);
  ElfW(Shdr) *sections = calloc(COUNT, sizeof *sections);
  char *name = malloc(LENGTH);
  CHECK(sections != NULL && name != NULL);
  memset(name, 'x', LENGTH);
  name[LENGTH - 1] = 0;
  sections[0] = (ElfW(Shdr)){.sh_size = COUNT, .sh_link = 1};
  for (size_t i = 1; i < COUNT; i++) sections[i].sh_type = SHT_PROGBITS;
  sections[1] = (ElfW(Shdr)){
      .sh_type = SHT_STRTAB, .sh_offset = offset + COUNT * sizeof *sections, .sh_size = LENGTH};
  int file = open(path, O_WRONLY);
  CHECK(pwrite(file, sections, COUNT * sizeof *sections, (off_t)offset)
        == (ssize_t)(COUNT * sizeof *sections));
  CHECK(pwrite(file, name, LENGTH, (off_t)sections[1].sh_offset) == LENGTH);
  close(file);
  free(sections);
  free(name);
  long start = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
  int visits = 0;
  CHECK(crebind_sections(crebind_image_containing(own), visit, &visits, NULL) == CREBIND_OK);
  CHECK(visits == COUNT - 1);
  CHECK(milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) - start < 30000);
  CHECK(dlclose(image) == 0);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  chance = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
  int file = open(argv[3], O_RDONLY);
  size = (size_t)read(file, original, sizeof original);
  CHECK(size > 1000 && size < sizeof original);
  char path[4096];
  snprintf(path, sizeof path, "%s.size", argv[3]);
  check_size(path);
  snprintf(path, sizeof path, "%s.names", argv[3]);
  check_names(path);
  int rounds = atoi(argv[2]);
  for (int i = 0; i < rounds; i++) {
    // A path of its own, so that nothing is known of it.
    snprintf(path, sizeof path, "%s.%d", argv[3], i);
    size_t count = i % 2 == 0 ? size : spoil_notes();
    write_file(path, i % 2 == 0 ? original : contents, count);
    check(path);
    unlink(path);
  }
  CHECK(counts[CREBIND_OK] > 0 && counts[CREBIND_BROKEN_FILE] > 0
        && counts[CREBIND_NO_SECTION_HEADERS] > 0 && sections_seen > 0);
  puts("unharmed");
}
