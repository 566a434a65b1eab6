/// A library whose constructor opens another one and closes it again.

#include <dlfcn.h>
#include <stdlib.h>

__attribute__((constructor)) static void look(void) {
  const char *path = getenv("NESTED_LIBRARY");
  void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
  if (library != NULL) dlclose(library);
}
