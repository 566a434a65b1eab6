/// A plug-in rebinds a function to one of its own and is closed: it stays loaded,
/// and calls go on to work.
///
/// Usage: pinned-replacement PLUGIN OTHER-PLUGIN

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  pid_t parent = getppid();
  void *plugin = dlopen(argv[1], RTLD_NOW);
  CHECK(plugin != NULL);
  void *replacement = dlsym(plugin, "plugin_hook");
  void **original = dlsym(plugin, "plugin_original");
  const int *hooked = dlsym(plugin, "plugin_hooked");
  CHECK(replacement != NULL && original != NULL && hooked != NULL);
  crebind_rebinding rebinding = {
      .name = "getppid", .replacement = replacement, .original = original};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(dlclose(plugin) == 0);
  CHECK(getppid() == parent && *hooked == 1);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  // A call that is inside of the hook still may return to it.
  CHECK(getppid() == parent && *hooked == 1);

  // So does the image that receives the original.
  void *receiver = dlopen(argv[2], RTLD_NOW);
  CHECK(receiver != NULL);
  rebinding.name = "getpgrp";
  rebinding.original = dlsym(receiver, "plugin_original");
  CHECK(rebinding.original != NULL);
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(dlclose(receiver) == 0 && dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) == receiver);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  printf("stays loaded\n");
}
