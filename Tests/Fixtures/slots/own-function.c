/// A library's calls of its own exported function go through a slot, and the original is a function
/// that others can call. On ppc64le the slot holds an entry point that only the library itself may
/// use.

#include "steps.h"

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
  crebind_handle *handle = REBIND("own_function", hook, &original, NULL, NULL);
  CHECK(call_own_function(2) == 43 && hooked == 1);
  RESTORE(handle);
  CHECK(call_own_function(2) == 42 && hooked == 1);
  printf("called in another image\n");
}
