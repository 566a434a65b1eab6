/// Pages that the kernel does not let be closed again: the call fails and says which they are,
/// and every slot and definition is as before. With slots, and with a definition alone.
///
/// Usage: left-open PLUGIN DEFINER

#include "steps.h"
#include "refused-protect.h"

COUNTING_HOOK(pid_t)
static int value_hook(void) { return 1; }

struct search {
  const char *path;
  bool wants_relro;
  uintptr_t start, end;
};

/// The relro range, or the first segment, which holds the symbols.
static int find(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  if (strcmp(info->dlpi_name, search->path) != 0) return 0;
  for (int i = info->dlpi_phnum; i-- > 0;) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != (search->wants_relro ? PT_GNU_RELRO : PT_LOAD)) continue;
    search->start = (info->dlpi_addr + header->p_vaddr) & -4096UL;
    search->end = info->dlpi_addr + header->p_vaddr + header->p_memsz;
  }
  return 1;
}

static void *load(struct search *search) {
  void *image = OPEN(search->path, RTLD_NOW | RTLD_GLOBAL);
  CHECK(dl_iterate_phdr(find, search) == 1);
  if (!refuse_protect(search->start, search->end, true)) {
    printf("no filters here\n");
    exit(0);
  }
  return image;
}

static void check_error(const crebind_error *error, const struct search *search) {
  CHECK(strcmp(error->image, search->path) == 0 && error->system_error == EACCES);
  CHECK(error->address >= search->start && error->address < search->end && error->size > 0);
  char line[4096];
  FILE *file = fopen("/proc/self/maps", "r");
  unsigned long start, end;
  char flags[8] = "";
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "%lx-%lx %7s", &start, &end, flags) == 3 && start <= error->address
        && error->address + error->size <= end)
      break;
  fclose(file);
  CHECK(flags[1] == 'w' && start <= error->address && error->address < end);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  struct search plugin = {argv[1], true, 0, 0}, definer = {argv[2], false, 0, 0};
  void *image = load(&plugin);
  pid_t (*call)(void) = FIND(image, "plugin_call");
  pid_t parent = getppid();
  const crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  crebind_error error;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, &error) == CREBIND_LEFT_OPEN);
  check_error(&error, &plugin);
  CHECK(getppid() == parent && call() == parent && hooked == 0);

  image = load(&definer);
  void *before = FIND(image, "value");
  const crebind_rebinding value = {.name = "value", .replacement = (void *)value_hook};
  CHECK(crebind_apply(&value, 1, NULL, &handle, NULL, &error) == CREBIND_LEFT_OPEN);
  check_error(&error, &definer);
  CHECK(dlsym(image, "value") == before);

  // Open as it is now, it needs no opening.
  crebind_report report;
  handle = APPLY(&rebinding, 1, NULL, &report);
  CHECK(call() == parent && hooked == 1);
  RESTORE(handle);
  CHECK(call() == parent && hooked == 1);
  printf("left open, and nothing else\n");
}
