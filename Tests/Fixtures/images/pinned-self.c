/// A plug-in whose constructor rebinds a function to its own, with a copy of
/// CRebind inside, is closed: both stay loaded.
///
/// Usage: pinned-self PLUGIN

#include "steps.h"

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  pid_t parent = getppid();
  void *plugin = OPEN(argv[1], RTLD_NOW);
  const int *hooked = FIND(plugin, "plugin_hooked");
  CHECK(dlclose(plugin) == 0);
  CHECK(getppid() == parent && *hooked == 1);
  printf("stays loaded\n");
}
