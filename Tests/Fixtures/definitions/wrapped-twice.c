/// A hook of dlclose that is applied again once a wrapper of ours lies on top of it: it does not
/// lead back to itself.

#include "steps.h"

static int (*original)(void *);
static int calls;
static int hook(void *image) {
  CHECK(++calls < 10);
  return original(image);
}
static void nothing(void) {}

static int closes(void) {
  int before = calls;
  void *image = OPEN("libm.so.6", RTLD_NOW);
  CHECK(dlclose(image) == 0);
  return calls - before;
}

int main(void) {
  crebind_handle *first = REBIND("dlclose", hook, &original, NULL, NULL);
  CHECK(closes() == 1);
  // Nothing defines it, so the wrappers come.
  crebind_handle *pending = REBIND("defined_nowhere", nothing, NULL, NULL, NULL);
  CHECK(closes() == 1);
  crebind_handle *again = REBIND("dlclose", hook, &original, NULL, NULL);
  CHECK(closes() == 1);
  CHECK(crebind_restore(again, NULL, NULL) == CREBIND_OK && closes() == 1);
  CHECK(crebind_restore(pending, NULL, NULL) == CREBIND_OK && closes() == 1);
  CHECK(crebind_restore(first, NULL, NULL) == CREBIND_OK && closes() == 0);
  printf("once a call\n");
}
