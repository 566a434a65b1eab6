/// Two batches have the same replacement. Whichever is restored first, the other keeps it in place,
/// in slots, in definitions and so in images that are loaded later. After both are gone the slots
/// are as they were.
///
/// Usage: same-replacement PLUGIN PLUGIN

#include "steps.h"

static pid_t parent;
// glibc declares the function so that a compiler may keep the counter in a register.
static volatile int hooked;
static pid_t (*original)(void);
static pid_t hook(void) {
  hooked++;
  return original();
}

/// How often the hook runs when the image calls the function.
static int hooks_of(const char *path) {
  void *image = OPEN(path, RTLD_LAZY);
  hooked = 0;
  CHECK(CALL(image, "plugin_call") == parent);
  int count = hooked;
  CHECK(dlclose(image) == 0);
  return count;
}

static int hooks_here(void) {
  hooked = 0;
  CHECK(getppid() == parent);
  return hooked;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  parent = getppid();
  for (int first = 0; first <= 1; first++) {
    crebind_handle *handles[2];
    crebind_report reports[2], restored[2];
    for (int i = 0; i <= 1; i++)
      handles[i] = REBIND("getppid", hook, &original, NULL, &reports[i]);
    CHECK(reports[0].changed >= 1 && reports[0].unchanged == 0);
    CHECK(reports[1].changed == 0 && reports[1].unchanged == reports[0].changed);
    CHECK(hooks_here() == 1 && hooks_of(argv[1]) == 1);
    CHECK(crebind_restore(handles[first], &restored[0], NULL) == CREBIND_OK);
    CHECK(hooks_here() == 1 && hooks_of(argv[2]) == 1);
    CHECK(crebind_restore(handles[1 - first], &restored[1], NULL) == CREBIND_OK);
    CHECK(restored[0].changed == 0 && restored[0].skipped == 0);
    // Those of the images that are still loaded, too.
    CHECK(restored[1].changed >= reports[0].changed && restored[1].skipped == 0);
    CHECK(hooks_here() == 0 && hooks_of(argv[1]) == 0 && hooks_of(argv[2]) == 0);
  }
  printf("each batch kept it\n");
}
