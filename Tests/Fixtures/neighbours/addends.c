/// Jump slots and glob dats whose addends are not 0, as `ld -z mark-plt` has them. They lead to the
/// function if the loader ignores the addend, and 256 bytes behind it if it adds it. Hooked before
/// its first call or after it, a slot leads to the same place in the replacement. Its original is
/// the function, and nobody else is said to have rebound it.

#include "steps.h"

enum { ADDEND = 256 };

int first(void);
int second(void);
__attribute__((aligned(256))) int hook(void) { return 11; }
__attribute__((aligned(256))) int second_hook(void) { return 12; }

// MARK: - Addends

static size_t offset_of(const char *file, size_t address) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file;
  const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(file + header->e_phoff);
  for (size_t i = 0; i < header->e_phnum; i++)
    if (segments[i].p_type == PT_LOAD && address - segments[i].p_vaddr < segments[i].p_filesz)
      return address - segments[i].p_vaddr + segments[i].p_offset;
  CHECK(!"in a segment");
  return 0;
}

static size_t tag(const char *file, ElfW(Sxword) wanted) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file;
  const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(file + header->e_phoff);
  while (segment->p_type != PT_DYNAMIC) segment++;
  const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(file + segment->p_offset);
  while (dynamic->d_tag != DT_NULL && dynamic->d_tag != wanted) dynamic++;
  return dynamic->d_tag == wanted ? dynamic->d_un.d_val : 0;
}

/// Gives each entry of `first` the addend, and returns their number.
static size_t write_addends(char *file, ElfW(Sxword) table, ElfW(Sxword) size) {
  if (tag(file, table) == 0) return 0;
  size_t count = 0;
  ElfW(Rela) *entries = (ElfW(Rela) *)(file + offset_of(file, tag(file, table)));
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)(file + offset_of(file, tag(file, DT_SYMTAB)));
  const char *names = file + offset_of(file, tag(file, DT_STRTAB));
  for (size_t i = 0; i < tag(file, size) / sizeof *entries; i++) {
#if __SIZEOF_POINTER__ == 8
    size_t symbol = ELF64_R_SYM(entries[i].r_info);
#else
    size_t symbol = ELF32_R_SYM(entries[i].r_info);
#endif
    if (strcmp(names + symbols[symbol].st_name, "first") != 0) continue;
    // One table may lie in the other.
    count += entries[i].r_addend != ADDEND;
    entries[i].r_addend = ADDEND;
  }
  return count;
}

/// A copy of a library, with addends.
static void copy(const char *path, const char *to) {
  static char file[1 << 20];
  FILE *input = fopen(path, "r"), *output = fopen(to, "w");
  CHECK(input != NULL && output != NULL);
  size_t size = fread(file, 1, sizeof file, input);
  CHECK(size > 0 && size < sizeof file);
  size_t written = write_addends(file, DT_RELA, DT_RELASZ);
  if (tag(file, DT_PLTREL) == DT_RELA) written += write_addends(file, DT_JMPREL, DT_PLTRELSZ);
  // A REL table has none.
  CHECK(written == (tag(file, DT_REL) == 0 && tag(file, DT_PLTREL) != DT_REL));
  CHECK(fwrite(file, 1, size, output) == size);
  fclose(input);
  fclose(output);
}

static int (*open_copy(const char *path, const char *name, const void **header))(void) {
  char to[4096];
  snprintf(to, sizeof to, "%s.%s", path, name);
  copy(path, to);
  void *image = OPEN(to, RTLD_LAZY | RTLD_LOCAL);
  int (*call)(void) = FIND(image, "call");
  *header = header_of((void *)call);
  return call;
}

// MARK: - Slots

static int found, ours;

static void count_finding(const crebind_finding *finding, void *context) {
  (void)context;
  if (strcmp(finding->slot.symbol, "first") != 0) return;
  found++;
  ours += finding->is_ours;
  CHECK(finding->slot.original == (void *)first);
  CHECK(!finding->is_ours || finding->slot.current != finding->slot.value);
}

static void expect_findings(int count) {
  found = ours = 0;
  CHECK(crebind_audit(count_finding, NULL, NULL) == CREBIND_OK);
  CHECK(found == count && ours == count);
}

static void check_slot(const crebind_slot_contents *slot, void *context) {
  if (strcmp(slot->symbol, "first") != 0) return;
  ++*(int *)context;
  // The relocation's own is shown.
  CHECK(slot->addend == (slot->has_addend ? ADDEND : 0));
  CHECK(slot->rebinder == CREBIND_REBOUND_BY_NOBODY);
  CHECK(slot->is_unresolved || slot->target.address == (uintptr_t)first);
}

static void expect_untouched(const void *header) {
  int slots = 0;
  CHECK(crebind_image_slots(header, true, check_slot, &slots, NULL) == CREBIND_OK);
  CHECK(slots == 1);
}

static void check(const char *path) {
  const void *called_header, *fresh_header;
  int (*called)(void) = open_copy(path, "called", &called_header);
  int (*fresh)(void) = open_copy(path, "fresh", &fresh_header);
  int reached = called();
  CHECK(reached == 1 || reached == 2);
  expect_findings(0);
  expect_untouched(called_header);
  expect_untouched(fresh_header);

  int (*original)(void) = NULL;
  crebind_options options = {.scope = CREBIND_SCOPE_IMAGES, .image_count = 2};
  const void *images[] = {called_header, fresh_header};
  options.images = images;
  crebind_report report;
  crebind_handle *handle = REBIND("first", hook, &original, &options, &report);
  CHECK(report.changed == 2 && report.ambiguous == 0);
  CHECK(original == first);
  CHECK(called() == 10 + reached && fresh() == 10 + reached);
  expect_findings(2);
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK && report.changed == 2);
  CHECK(called() == reached && fresh() == reached);
  expect_findings(0);
}

int main(int count, char **arguments) {
  CHECK(count > 1 && (uintptr_t)second - (uintptr_t)first == ADDEND);
  CHECK((uintptr_t)second_hook - (uintptr_t)hook == ADDEND);
  for (int i = 1; i < count; i++) check(arguments[i]);
  printf("the same place\n");
}
