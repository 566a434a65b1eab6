// A section of somebody's own, with a pointer to a string for each entry, and a note that leads to
// it. Prints the strings, and then those of a section that has none.

#define _GNU_SOURCE
#include "notes.h"

#include <RebindAnnotations.h>

// The name may be a macro.
#define MODULES Modules

REBIND_INDEX_SECTION(MODULES)
REBIND_INDEX_SECTION(Nothing)
REBIND_INDEX_SECTION(Modules)

#define MODULE(name)                                                                            \
  __attribute__((section("Modules"), used, retain)) static const char *const                    \
  REBIND_JOIN(module_, __COUNTER__) = name;

MODULE("Mail")
MODULE("Calendar")

static void print(const char *name) {
  struct bounds bounds = read_bounds((const void *)print, name);
  CHECK(bounds.notes == 1 && bounds.end >= bounds.start);
  size_t count = (size_t)(bounds.end - bounds.start) / sizeof(char *);
  printf("%s: %zu\n", name, count);
  for (size_t i = 0; i < count; i++) puts(((const char *const *)(const void *)bounds.start)[i]);
}

int main(void) {
  print("Modules");
  print("Nothing");
  CHECK(read_bounds((const void *)print, "rebind_annotations").notes == 0);
  return 0;
}
