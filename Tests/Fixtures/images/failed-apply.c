/// An apply that may not open a page of one image has stored into none: no thread is led to the
/// replacement, not even for a moment. Its original stays published all the same.
///
/// Usage: failed-apply PLUGIN TRIES

#include "steps.h"
#include "refused-protect.h"

static atomic_bool is_done;
static atomic_int hooked;
static pid_t parent;
static pid_t (*original)(void);
static pid_t hook(void) {
  atomic_fetch_add(&hooked, 1);
  usleep(10);
  return __atomic_load_n(&original, __ATOMIC_ACQUIRE)();
}

static void *call(void *unused) {
  while (!atomic_load(&is_done)) CHECK(getppid() == parent);
  return unused;
}

static struct {
  const char *path;
  uintptr_t start, end;
} last;

static int find_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  if (strcmp(info->dlpi_name, last.path) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      last.start = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & -4096UL;
      last.end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  parent = getppid();
  OPEN(argv[1], RTLD_NOW);
  last.path = argv[1];
  dl_iterate_phdr(find_image, NULL);
  CHECK(last.end > last.start);
  if (!refuse_protect(last.start, last.end, false)) {
    printf("no filters here\n");
    return 0;
  }
  pthread_t thread = START(call, NULL);
  for (int i = atoi(argv[2]); i > 0; i--) {
    const crebind_rebinding rebinding = {
        .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
    crebind_handle *handle;
    crebind_error error;
    CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, &error) == CREBIND_PROTECTION);
    CHECK(strcmp(error.image, argv[1]) == 0 && error.system_error == EACCES);
    CHECK(error.address >= last.start && error.address < last.end);
    CHECK(original != NULL && original != hook && original() == parent);
    CHECK(getppid() == parent);
  }
  atomic_store(&is_done, true);
  JOIN(thread);
  CHECK(getppid() == parent && atomic_load(&hooked) == 0);
  printf("nobody fell\n");
}
