/// A library that is bound to its own definitions first, by RTLD_DEEPBIND or -Bsymbolic,
/// goes past the definition that is redirected. Its slots are served before dlopen returns
/// where the notice was asked for, and at the next call where it was not.
///
/// Usage: other-scopes DEEP SYMBOLIC

#define _GNU_SOURCE
#if defined(LIBRARY)

#include <sys/types.h>

pid_t getppid(void) { return NUMBER; }
pid_t call(void) { return getppid(); }

#else

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

static pid_t (*original)(void);
static pid_t hook(void) { return -1; }
static void ignore(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
}

static pid_t call(void *image) { return ((pid_t(*)(void))dlsym(image, "call"))(); }

static void *open_image(const char *path, int mode) {
  void *image = dlopen(path, RTLD_NOW | mode);
  CHECK(image != NULL);
  return image;
}

/// \param is_slot The library calls its own function through a slot.
static void check(const char *path, int mode, bool is_slot) {
  pid_t parent = getppid();
  crebind_rebinding rebinding = {.name = "getppid", .replacement = (void *)hook,
                                 .original = (void **)&original};
  crebind_handle *handle;
  for (int asks = 0; asks <= 1; asks++) {
    crebind_observation *observation = NULL;
    const crebind_image_observer observer = {.added = ignore};
    if (asks) CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
    CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
    CHECK(original() == parent && getppid() == -1);
    void *image = open_image(path, mode);
    pid_t own = ((pid_t(*)(void))dlsym(image, "getppid"))();
    CHECK(own == 1 || own == 2);  // its own, asked for by its handle, is its own
    CHECK(call(image) == (is_slot && asks ? -1 : own));
    CHECK(crebind_refresh(NULL) == CREBIND_OK);
    CHECK(call(image) == (is_slot ? -1 : own) && original() == parent);
    CHECK(dlclose(image) == 0);

    // From now on a definition comes and goes: the notice is asked for.
    image = open_image(path, mode);
    CHECK(call(image) == (is_slot ? -1 : own));
    CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK && call(image) == own);
    CHECK(dlclose(image) == 0);
    if (asks) crebind_unobserve(observation);
  }
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  check(argv[1], RTLD_DEEPBIND, true);
  check(argv[2], 0, false);
  printf("served when seen\n");
}

#endif
