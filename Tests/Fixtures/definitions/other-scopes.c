/// A library that is bound to its own definitions first, by RTLD_DEEPBIND or -Bsymbolic,
/// goes past the definition that is redirected. Its slots lead to another function than the one
/// that the rebinding publishes, and are left alone.
///
/// Usage: other-scopes DEEP SYMBOLIC

#if defined(LIBRARY)

#include <sys/types.h>

// It reads a variable, so it has a local entry point of its own on ppc64le.
static volatile pid_t number = NUMBER;
pid_t getppid(void) { return number; }
pid_t call(void) { return getppid(); }

#else

#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return -1; }
static void ignore(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
}

static void check(const char *path, int mode) {
  pid_t parent = getppid();
  // It is there before the rebinding. With -Bsymbolic it calls itself without a slot.
  void *before = OPEN(path, RTLD_NOW | mode);
  crebind_report report;
  crebind_handle *first = REBIND("getppid", hook, &original, NULL, &report);
  CHECK(report.left_alone == (mode != 0) && CALL(before, "call") > 0);
  CHECK(original() == parent && getppid() == -1);
  RESTORE(first);
  CHECK(dlclose(before) == 0);
  for (int asks = 0; asks <= 1; asks++) {
    crebind_observation *observation = NULL;
    const crebind_image_observer observer = {.added = ignore};
    if (asks) CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
    crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
    CHECK(original() == parent && getppid() == -1);
    void *image = OPEN(path, RTLD_NOW | mode);
    pid_t own = CALL(image, "getppid");
    CHECK(own == 1 || own == 2);  // its own, asked for by its handle, is its own
    CHECK(CALL(image, "call") == own);
    CHECK(crebind_refresh(NULL) == CREBIND_OK);
    CHECK(CALL(image, "call") == own && original() == parent);
    CHECK(dlclose(image) == 0);

    // From now on a definition comes and goes: the notice is asked for.
    image = OPEN(path, RTLD_NOW | mode);
    CHECK(CALL(image, "call") == own);
    CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK && CALL(image, "call") == own);
    CHECK(dlclose(image) == 0);
    if (asks) crebind_unobserve(observation);
  }
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  check(argv[1], RTLD_DEEPBIND);
  check(argv[2], 0);
  printf("left alone when seen\n");
}

#endif
