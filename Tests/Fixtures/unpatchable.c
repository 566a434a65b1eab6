/// Pages that may not be opened: with PR_SET_MDWE no page becomes executable and
/// writable, and the symbols of an image that is linked without separate code are
/// in executable pages. Its definitions cannot be redirected then; its slots, and
/// what other images have, are rebound all the same, also in images to come.
///
/// Usage: unpatchable DEFINER LATE-DEFINER CALLER

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <sys/prctl.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static int hooked;
static int (*original)(void);
static int hook(void) {
  hooked++;
  return original();
}

static void *load(const char *path) {
  void *image = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (image == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(image != NULL);
  return image;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  if (prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) != 0) {
    printf("no PR_SET_MDWE here\n");
    return 0;
  }
  load(argv[1]);
  const crebind_rebinding rebindings[] = {
      {.name = "unpatchable", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "unpatchable_later", .replacement = (void *)hook}};
  crebind_handle *handle;
  crebind_report report;
  crebind_error error;
  crebind_status status = crebind_apply(rebindings, 2, NULL, &handle, &report, &error);
  CHECK(status == CREBIND_OK && report.pending == 1 && original != NULL && original() == 7);

  load(argv[2]);
  void *caller = load(argv[3]);
  int (*call)(void) = (int (*)(void))dlsym(caller, "call_unpatchable");
  int (*call_later)(void) = (int (*)(void))dlsym(caller, "call_unpatchable_later");
  CHECK(call() == 7 && hooked == 1);
  CHECK(call_later() == 7 && hooked == 2);
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK && report.skipped == 0);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(call() == 7 && call_later() == 8 && hooked == 2);
  printf("rebound without them\n");
}
