/// An image that is sealed, as glibc 2.43 seals those that were linked with `-z memory-seal`. A
/// batch that would have to change it is refused by name, or leaves it out and says so. Sealed
/// symbols alone refuse nothing.
///
/// Usage: sealed PLUGIN DEFINER [wait]

#include "steps.h"
#include "looked-at.h"

#ifndef SYS_mseal
#define SYS_mseal 462
#endif

COUNTING_HOOK(pid_t)
static int (*original_value)(void);
static int value_hook(void) { return original_value() + 1; }

/// The image to seal, and whether only its read-only segments.
struct sealing {
  const char *path;
  bool is_partial;
  long result;
};

static int seal(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct sealing *sealing = context;
  if (strcmp(info->dlpi_name, sealing->path) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    bool is_chosen = header->p_type == PT_LOAD && (header->p_flags & PF_W) == 0;
    if (header->p_type == PT_GNU_RELRO && !sealing->is_partial) is_chosen = true;
    if (!is_chosen) continue;
    uintptr_t start = (info->dlpi_addr + header->p_vaddr) & -4096UL;
    uintptr_t end = (info->dlpi_addr + header->p_vaddr + header->p_memsz + 4095) & -4096UL;
    sealing->result |= syscall(SYS_mseal, start, end - start, 0L);
  }
  return 1;
}

static void *load_sealed(const char *path, bool is_partial) {
  void *image = OPEN(path, RTLD_NOW | RTLD_GLOBAL);
  struct sealing sealing = {path, is_partial, 0};
  CHECK(dl_iterate_phdr(seal, &sealing) == 1);
  if (sealing.result != 0) {
    printf("no mseal here\n");
    exit(0);
  }
  return image;
}

struct search {
  crebind_reason reason;
  const char *path;
  size_t slots;
};

static void count(const crebind_diagnosis *diagnosis, void *context) {
  struct search *search = context;
  if (diagnosis->reason == search->reason && strcmp(diagnosis->image.path, search->path) == 0)
    search->slots += diagnosis->slots;
}

static size_t slots_of_reason(crebind_reason reason, const char *path) {
  struct search search = {reason, path, 0};
  const crebind_rebinding rebinding = {.name = "getppid"};
  CHECK(crebind_diagnose(&rebinding, NULL, count, &search, NULL) == CREBIND_OK);
  return search.slots;
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 3);
  void *plugin = load_sealed(argv[1], false);
  if (argc == 4) {
    load_sealed(argv[2], true);
    wait_to_be_looked_at();
    return 0;
  }
  pid_t (*call)(void) = FIND(plugin, "plugin_call");
  pid_t parent = getppid();
  char *before = read_maps();
  const crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  crebind_report report;
  crebind_error error;
  for (int i = 0; i < 2; i++) {
    CHECK(crebind_apply(&rebinding, 1, NULL, &handle, &report, &error) == CREBIND_SEALED);
    CHECK(error.system_error == EPERM && strcmp(error.image, argv[1]) == 0);
    CHECK(getppid() == parent && call() == parent && hooked == 0);
  }
  CHECK(strcmp(before, read_maps()) == 0);
  CHECK(slots_of_reason(CREBIND_REASON_SEALED, argv[1]) == 1);
  CHECK(slots_of_reason(CREBIND_REASON_HAS_SLOTS, argv[1]) == 0);
  CHECK(slots_of_reason(CREBIND_REASON_HAS_SLOTS, "") > 0);

  const crebind_options skipping = {.skips_sealed_images = true};
  handle = APPLY(&rebinding, 1, &skipping, &report);
  size_t changed = report.changed;
  CHECK(report.sealed == 1 && changed > 0 && report.skipped == 0);
  CHECK(getppid() == parent && hooked == 1 && call() == parent && hooked == 1);
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK && report.unchanged == changed);
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK && report.changed == changed);
  CHECK(getppid() == parent && hooked == 1 && strcmp(before, read_maps()) == 0);

  // The image that defines the symbol is sealed but for its slots: images to come are served still.
  load_sealed(argv[2], true);
  handle = REBIND("value", value_hook, &original_value, NULL, NULL);
  CHECK(original_value != NULL && original_value() == 7);
  RESTORE(handle);
  printf("told by name\n");
}
