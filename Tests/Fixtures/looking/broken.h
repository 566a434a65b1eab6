/// A loaded library whose bytes a fixture edits and puts back. Nothing but the
/// core looks at them meanwhile.

#include "steps.h"

static const char *path;
static uintptr_t bias, end;
static const void *header;
static ElfW(Dyn) *dynamic;
static size_t dynamic_count;
/// The segment that begins the file, behind the program headers: it holds the
/// symbols, their names and the relocations.
static char *tables;
static size_t tables_size;

enum { SEGMENTS = 16 };
static struct segment {
  char *start;
  size_t size;
  uintptr_t page;
  int protection;
  /// The former content.
  char *copy;
} segments[SEGMENTS];
static size_t segment_count;

/// The core closes what it has opened, so this is needed before each edit.
static void make_writable(void) {
  for (size_t i = 0; i < segment_count; i++) {
    struct segment *segment = &segments[i];
    CHECK(mprotect((void *)segment->page, (uintptr_t)segment->start + segment->size - segment->page,
                   segment->protection)
          == 0);
  }
}

static inline void put_back(void) {
  make_writable();
  for (size_t i = 0; i < segment_count; i++)
    memcpy(segments[i].start, segments[i].copy, segments[i].size);
}

static int describe(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  if (strcmp(info->dlpi_name, path) != 0) return 0;
  uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
  bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t start = bias + segment->p_vaddr, stop = start + segment->p_memsz;
    if (segment->p_type == PT_DYNAMIC) {
      dynamic = (ElfW(Dyn) *)start;
      dynamic_count = segment->p_memsz / sizeof *dynamic;
    }
    if (segment->p_type != PT_LOAD) continue;
    CHECK(segment_count < SEGMENTS);
    segments[segment_count++] = (struct segment){
        (char *)start, stop - start, start & ~mask,
        PROT_READ | PROT_WRITE | (segment->p_flags & PF_X ? PROT_EXEC : 0), malloc(stop - start)};
    if (stop > end) end = stop;
    if (segment->p_offset != 0) continue;
    header = (const void *)start;
    tables = (char *)(info->dlpi_phdr + info->dlpi_phnum);
    tables_size = stop - (uintptr_t)tables;
  }
  return 1;
}

static void open_library(const char *name) {
  path = name;
  OPEN(path, RTLD_LAZY | RTLD_LOCAL);
  CHECK(dl_iterate_phdr(describe, NULL) == 1 && dynamic != NULL && tables != NULL);
  for (size_t i = 0; i < segment_count; i++)
    memcpy(segments[i].copy, segments[i].start, segments[i].size);
  make_writable();
}

/// The entry of the tag, or NULL.
static inline ElfW(Dyn) * entry_of(ElfW(Sxword) tag) {
  for (size_t i = 0; i < dynamic_count && dynamic[i].d_tag != DT_NULL; i++)
    if (dynamic[i].d_tag == tag) return &dynamic[i];
  return NULL;
}

/// glibc relocates the table in place, musl does not.
static inline char *table(ElfW(Sxword) tag) {
  const ElfW(Dyn) *entry = entry_of(tag);
  if (entry == NULL) return NULL;
  uintptr_t value = entry->d_un.d_ptr;
  return (char *)(value < bias ? bias + value : value);
}

static pid_t hook_parent(void) { return -1; }
static size_t hook_length(const char *string) { return string[0] == 0 ? 0 : 1; }
static void *original;

/// Two imports of the library, one of them of this program as well, and a
/// function of its own.
static const crebind_rebinding rebindings[] = {
    {.name = "getppid", .replacement = (void *)hook_parent, .original = &original},
    {.name = "strlen@GLIBC_2.2.5", .replacement = (void *)hook_length},
    {.name = "broken_parent", .replacement = (void *)hook_parent},
};
enum { COUNT = sizeof rebindings / sizeof rebindings[0] };

static void visit_slot(const crebind_slot_info *slot, void *context) {
  (void)context;
  CHECK(slot->symbol != NULL && slot->image.path != NULL);
}
static void visit_finding(const crebind_finding *finding, void *context) {
  visit_slot(&finding->slot, context);
}
static void visit_diagnosis(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  CHECK(diagnosis->detail != NULL);
}

static void visit_image(const crebind_image_contents *image, void *context) {
  (void)context;
  CHECK(image->info.path != NULL && image->segment_count != 0);
  for (size_t i = 0; i < image->dynamic_entry_count; i++)
    CHECK(image->dynamic_entries[i].tag != DT_NULL);
}
static void visit_symbol(const crebind_symbol_info *symbol, void *context) {
  (void)context;
  CHECK(symbol->name != NULL && symbol->index != 0);
}
static void visit_contents(const crebind_slot_contents *slot, void *context) {
  (void)context;
  CHECK(slot->symbol[0] != 0 && slot->target.symbol != NULL);
}
static void visit_target(const crebind_target *target, void *context) {
  (void)context;
  CHECK(target->symbol != NULL);
}

/// Everything that only looks.
static void look(void) {
  CHECK(crebind_images(visit_image, NULL, NULL) == CREBIND_OK);
  crebind_symbols(header, NULL, visit_symbol, NULL, NULL);
  crebind_symbols(header, "broken_parent", visit_symbol, NULL, NULL);
  crebind_image_slots(header, true, visit_contents, NULL, NULL);
  CHECK(crebind_describe_address(end - 1, visit_target, NULL, NULL) == CREBIND_OK);
  crebind_plan(rebindings, COUNT, NULL, visit_slot, NULL, NULL);
  crebind_audit(visit_finding, NULL, NULL);
  for (int i = 0; i < COUNT; i++)
    crebind_diagnose(&rebindings[i], NULL, visit_diagnosis, NULL, NULL);
  crebind_lookup("broken_parent");
}
