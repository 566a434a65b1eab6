/// Rounds of dlopen, hook, call and dlclose, with two plug-ins in turn that take each other's place
/// in memory. Each round's hook runs where it should, and the process does not grow.
///
/// Usage: reload before|after restored|kept|once PLUGIN OTHER-PLUGIN ROUNDS

#include "steps.h"

enum { SETTLED = 100 };

COUNTING_HOOK(pid_t)

static const crebind_rebinding rebinding = {
    .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};

/// The size of the address space in KiB.
static long memory(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0;
  CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 6);
  int rounds = atoi(argv[5]);
  bool is_before = strcmp(argv[1], "before") == 0;
  bool is_restored = strcmp(argv[2], "restored") == 0, is_once = strcmp(argv[2], "once") == 0;
  pid_t parent = getppid(), group = getpgrp();
  crebind_handle *handle = NULL;
  long settled = 0;
  uintptr_t places[2] = {0, 0};
  int same = 0;
  for (int i = 0; i < rounds; i++) {
    // The heap is grown by the loader and stdio alike.
    if (i == SETTLED) settled = memory();
    bool is_other = i % 2 == 1, applies = !is_once || i == 0;
    if (is_before && applies)
      handle = APPLY(&rebinding, 1, NULL, NULL);
    void *image = OPEN(argv[3 + is_other], RTLD_LAZY);
    struct link_map *map;
    CHECK(dlinfo(image, RTLD_DI_LINKMAP, &map) == 0);
    places[is_other] = map->l_addr;
    same += places[0] == places[1];
    if (!is_before && applies)
      handle = APPLY(&rebinding, 1, NULL, NULL);

    pid_t (*call)(void) = FIND(image, "plugin_call");
    int (*number)(void) = FIND(image, "plugin_number");
    hooked = 0;
    CHECK(call() == (is_other ? group : parent) && number() == 1 + is_other);
    CHECK(hooked == !is_other);
    if (is_restored) {
      RESTORE(handle);
      CHECK(call() == (is_other ? group : parent) && hooked == !is_other);
    }
    CHECK(dlclose(image) == 0);
  }
  // A handle that is kept has its records, which may take the place.
  bool is_kept = !is_restored && !is_once;
  CHECK(is_kept || same > rounds / 2);
  long growth = memory() - settled, allowed = is_kept ? (rounds - SETTLED) * 64 : 256;
  if (growth > allowed) fprintf(stderr, "grown by %ld KiB\n", growth);
  CHECK(growth <= allowed);
  printf("no growth\n");
}
