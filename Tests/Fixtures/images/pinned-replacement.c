/// A plug-in rebinds a function to one of its own and is closed: it stays loaded,
/// and calls go on to work.
///
/// Usage: pinned-replacement PLUGIN OTHER-PLUGIN

#include "steps.h"

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  pid_t parent = getppid();
  void *plugin = OPEN(argv[1], RTLD_NOW);
  void *replacement = FIND(plugin, "plugin_hook");
  void **original = FIND(plugin, "plugin_original");
  const int *hooked = FIND(plugin, "plugin_hooked");
  crebind_handle *handle = REBIND("getppid", replacement, original, NULL, NULL);
  CHECK(dlclose(plugin) == 0);
  CHECK(getppid() == parent && *hooked == 1);
  RESTORE(handle);
  // A call that is inside of the hook still may return to it.
  CHECK(getppid() == parent && *hooked == 1);

  // So does the image that receives the original.
  void *receiver = OPEN(argv[2], RTLD_NOW);
  handle = REBIND("getpgrp", replacement, FIND(receiver, "plugin_original"), NULL, NULL);
  CHECK(dlclose(receiver) == 0 && dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) == receiver);
  RESTORE(handle);
  printf("stays loaded\n");
}
