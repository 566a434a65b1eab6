/// A library's calls of its own exported function go through a slot, and the original is a function
/// that others can call. On ppc64le the slot holds an entry point that only the library itself may
/// use.

#include "CRebind.h"
#include "check.h"

int call_own_function(int number);

static int hooked;
static int (*original)(int);
static int hook(int number) {
  hooked++;
  return original(number) + 1;
}

int main(void) {
  // Bind the slot first: an unresolved one has its original looked up anyway.
  CHECK(call_own_function(2) == 42);
  crebind_rebinding rebinding = {
      .name = "own_function", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(call_own_function(2) == 43 && hooked == 1);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(call_own_function(2) == 42 && hooked == 1);
  printf("called in another image\n");
}
