// A process to be looked at that loads the library of its second argument: again and again, or into
// a namespace of its own.

#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments) {
  CHECK(count == 3);
  if (strcmp(arguments[1], "apart") == 0)
    CHECK(dlmopen(LM_ID_NEWLM, arguments[2], RTLD_NOW) != NULL);
  CHECK(write(STDOUT_FILENO, "ready\n", 6) == 6);
  while (strcmp(arguments[1], "forever") == 0) dlclose(dlopen(arguments[2], RTLD_NOW));
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}
