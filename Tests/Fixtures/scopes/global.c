/// Images opened with RTLD_GLOBAL are in the global scope. Those opened with RTLD_LOCAL are not,
/// and give no original for a reference that only they could satisfy.

#include "steps.h"

static int (*original)(void);
static int hook(void) { return 100 + original(); }

int main(void) {
  void *caller = OPEN("libweak.so", RTLD_LAZY | RTLD_LOCAL);
  void *local = OPEN("libplain.so", RTLD_LAZY | RTLD_LOCAL);
  int (*call)(void) = FIND(caller, "call_weak");
  crebind_rebinding rebinding = {.name = "number", .replacement = (void *)hook,
                                 .original = (void **)&original};
  crebind_options options = {.loaded_images_only = true};
  crebind_report report;
  crebind_handle *handle = APPLY(&rebinding, 1, &options, &report);
  CHECK(report.changed == 0 && report.pending == 1);
  RESTORE(handle);

  CHECK(dlopen("libplain.so", RTLD_LAZY | RTLD_GLOBAL) == local);
  handle = APPLY(&rebinding, 1, &options, &report);
  CHECK(report.changed == 1 && report.pending == 0);
  CHECK(call() == 103);
  RESTORE(handle);
  CHECK(call() == 3);

  // The library imports nothing, so that its hash table starts with symbol 1; its
  // definition is redirected all the same.
  handle = APPLY(&rebinding, 1, NULL, &report);
  void *(*find)(void *) = FIND(caller, "find_weak");
  CHECK(find(local) == (void *)hook && call() == 103);
  RESTORE(handle);
  CHECK(CALL(local, "number") == 3);
  printf("global\n");
}
