/// A hook of dlclose that is applied again once a wrapper of ours lies on top of it: it does not
/// lead back to itself.

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>

static int (*original)(void *);
static int calls;
static int hook(void *image) {
  CHECK(++calls < 10);
  return original(image);
}
static void nothing(void) {}

static crebind_handle *apply(const char *name, void *replacement, void **place) {
  crebind_rebinding rebinding = {.name = name, .replacement = replacement, .original = place};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  return handle;
}

static int closes(void) {
  int before = calls;
  void *image = dlopen("libm.so.6", RTLD_NOW);
  CHECK(image != NULL && dlclose(image) == 0);
  return calls - before;
}

int main(void) {
  crebind_handle *first = apply("dlclose", (void *)hook, (void **)&original);
  CHECK(closes() == 1);
  // Nothing defines it, so the wrappers come.
  crebind_handle *pending = apply("defined_nowhere", (void *)nothing, NULL);
  CHECK(closes() == 1);
  crebind_handle *again = apply("dlclose", (void *)hook, (void **)&original);
  CHECK(closes() == 1);
  CHECK(crebind_restore(again, NULL, NULL) == CREBIND_OK && closes() == 1);
  CHECK(crebind_restore(pending, NULL, NULL) == CREBIND_OK && closes() == 1);
  CHECK(crebind_restore(first, NULL, NULL) == CREBIND_OK && closes() == 0);
  printf("once a call\n");
}
