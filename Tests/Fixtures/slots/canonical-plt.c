/// A non-PIE program that takes a function's address: the loader then gives every image the address
/// of the program's own PLT entry. Called as an original, it would lead back into the hooked slot,
/// for ever.

#include "steps.h"

static int hooked;
static pid_t (*original)(void);
static pid_t hook(void) {
  CHECK(++hooked < 100);
  return original();
}

/// Defined by the library beside it: calls through an address that it loads
/// from a slot, which holds the program's PLT entry.
pid_t call_through_library(void);

int main(void) {
  pid_t (*volatile function)(void) = getppid;
  struct rebinding rebinding = {"getppid", (void *)hook, (void **)&original};
  CHECK(rebind_symbols(&rebinding, 1) == 0);
  CHECK((void *)original != (void *)function);
  pid_t expected = original();
  CHECK(hooked == 0);
  CHECK(getppid() == expected && hooked == 1);
  CHECK(function() == expected && hooked == 2);
  CHECK(call_through_library() == expected && hooked == 3);
  printf("no recursion\n");
}
