/// Images opened with RTLD_GLOBAL are in the global scope. Those opened with RTLD_LOCAL are not,
/// and give no original for a reference that only they could satisfy.

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>

static int (*original)(void);
static int hook(void) { return 100 + original(); }

int main(void) {
  void *caller = dlopen("libweak.so", RTLD_LAZY | RTLD_LOCAL);
  void *local = dlopen("libplain.so", RTLD_LAZY | RTLD_LOCAL);
  CHECK(caller != NULL && local != NULL);
  int (*call)(void) = (int (*)(void))dlsym(caller, "call_weak");
  crebind_rebinding rebinding = {.name = "number", .replacement = (void *)hook,
                                 .original = (void **)&original};
  crebind_options options = {.loaded_images_only = true};
  crebind_handle *handle;
  crebind_report report;
  CHECK(crebind_apply(&rebinding, 1, &options, &handle, &report, NULL) == CREBIND_OK);
  CHECK(report.changed == 0 && report.pending == 1);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);

  CHECK(dlopen("libplain.so", RTLD_LAZY | RTLD_GLOBAL) == local);
  CHECK(crebind_apply(&rebinding, 1, &options, &handle, &report, NULL) == CREBIND_OK);
  CHECK(report.changed == 1 && report.pending == 0);
  CHECK(call() == 103);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(call() == 3);

  // The library imports nothing, so that its hash table starts with symbol 1; its
  // definition is redirected all the same.
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, &report, NULL) == CREBIND_OK);
  void *(*find)(void *) = (void *(*)(void *))dlsym(caller, "find_weak");
  CHECK(find(local) == (void *)hook && call() == 103);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(((int (*)(void))dlsym(local, "number"))() == 3);
  printf("global\n");
}
