/// Pages that may not be opened: with PR_SET_MDWE no page becomes executable and
/// writable, and the symbols of an image that is linked without separate code are
/// in executable pages. Its definitions cannot be redirected then; its slots, and
/// what other images have, are rebound all the same, also in images to come.
///
/// Usage: unpatchable DEFINER LATE-DEFINER CALLER

#include "steps.h"

#include <sys/prctl.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

COUNTING_HOOK(int)

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  if (prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) != 0) {
    printf("no PR_SET_MDWE here\n");
    return 0;
  }
  OPEN(argv[1], RTLD_NOW | RTLD_GLOBAL);
  const crebind_rebinding rebindings[] = {
      {.name = "unpatchable", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "unpatchable_later", .replacement = (void *)hook}};
  crebind_report report;
  crebind_handle *handle = APPLY(rebindings, 2, NULL, &report);
  CHECK(report.pending == 1 && original != NULL && original() == 7);

  OPEN(argv[2], RTLD_NOW | RTLD_GLOBAL);
  void *caller = OPEN(argv[3], RTLD_NOW | RTLD_GLOBAL);
  int (*call)(void) = FIND(caller, "call_unpatchable");
  int (*call_later)(void) = FIND(caller, "call_unpatchable_later");
  CHECK(call() == 7 && hooked == 1);
  CHECK(call_later() == 7 && hooked == 2);
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK && report.skipped == 0);
  RESTORE(handle);
  CHECK(call() == 7 && call_later() == 8 && hooked == 2);
  printf("rebound without them\n");
}
