/// A plug-in whose constructor rebinds a function to its own, with a copy of
/// CRebind inside, is closed: both stay loaded.
///
/// Usage: pinned-self PLUGIN

#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  pid_t parent = getppid();
  void *plugin = dlopen(argv[1], RTLD_NOW);
  CHECK(plugin != NULL);
  const int *hooked = dlsym(plugin, "plugin_hooked");
  CHECK(hooked != NULL && dlclose(plugin) == 0);
  CHECK(getppid() == parent && *hooked == 1);
  printf("stays loaded\n");
}
