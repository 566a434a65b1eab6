/// The C library's own calls of malloc go through slots, as each program may
/// bring its own malloc: they are rebound too. On musl the C library is the
/// loader as well.

#include "steps.h"

static int hooked;
static void *(*original)(size_t);
static void *hook(size_t size) {
  hooked++;
  return original(size);
}

int main(void) {
  char *(*volatile duplicate)(const char *) = strdup;
  crebind_handle *handle = REBIND("malloc", hook, &original, NULL, NULL);
  char *copy = duplicate("copy");
  CHECK(hooked == 1 && strcmp(copy, "copy") == 0);
  RESTORE(handle);
  free(copy);
  free(duplicate("copy"));
  CHECK(hooked == 1);
  printf("reached in libc\n");
}
