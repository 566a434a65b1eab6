/// The C library's own calls of malloc go through slots, as each program may
/// bring its own malloc: they are rebound too. On musl the C library is the
/// loader as well.

#include "CRebind.h"
#include "check.h"

#include <string.h>

static int hooked;
static void *(*original)(size_t);
static void *hook(size_t size) {
  hooked++;
  return original(size);
}

int main(void) {
  char *(*volatile duplicate)(const char *) = strdup;
  crebind_rebinding rebinding = {
      .name = "malloc", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  char *copy = duplicate("copy");
  CHECK(hooked == 1 && strcmp(copy, "copy") == 0);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  free(copy);
  free(duplicate("copy"));
  CHECK(hooked == 1);
  printf("reached in libc\n");
}
