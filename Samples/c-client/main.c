// Answers one question of getenv by itself, and passes on the others.
//
// Built against an installed copy of Rebind: see the Makefile beside it.

#include <CRebind.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *(*original_getenv)(const char *);

static char *my_getenv(const char *name) {
  printf("getenv(\"%s\")\n", name);
  if (strcmp(name, "GREETED") == 0) return "Rebind";
  return original_getenv(name);
}

static void greet(void) {
  const char *name = getenv("GREETED");
  printf("Hello, %s\n", name != NULL ? name : "whoever you are");
}

int main(void) {
  unsetenv("GREETED");
  greet();

  crebind_rebinding rebinding = {
      .name = "getenv", .replacement = (void *)my_getenv, .original = (void **)&original_getenv};
  crebind_handle *handle;
  crebind_error error;
  if (crebind_apply(&rebinding, 1, NULL, &handle, NULL, &error) != CREBIND_OK) {
    fprintf(stderr, "getenv: %s\n", crebind_status_description(error.status));
    return 1;
  }
  greet();

  if (crebind_restore(handle, NULL, &error) != CREBIND_OK) {
    fprintf(stderr, "getenv: %s\n", crebind_status_description(error.status));
    return 1;
  }
  greet();
  return 0;
}
