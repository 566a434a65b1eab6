/// An IFUNC's resolver calls the interface while it is asked about its function. It closes an
/// image, which the batches have changed: its calls do without that image, and no resolver is
/// called anew.
///
/// Usage: resolver-calls ROOT PLUGIN

#include "steps.h"

COUNTING_HOOK(pid_t)
static int pick(void) { return 8; }

static const char *plugin_path;
static void *plugin;
static crebind_handle *handle;
static int step;

/// By the resolver.
static void call_interface(void) {
  if (plugin == NULL) return;
  CHECK(dlclose(plugin) == 0);
  plugin = NULL;
  crebind_handle *other;
  const crebind_rebinding rebinding = {.name = "getpgrp", .replacement = (void *)hook};
  switch (step) {
  case 0: CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK); break;
  case 1: RESTORE(handle); break;
  default:
    CHECK(crebind_apply(&rebinding, 1, NULL, &other, NULL, NULL) == CREBIND_OK);
    RESTORE(other);
  }
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  plugin_path = argv[2];
  void *root = OPEN(argv[1], RTLD_LAZY);
  ((void (*)(void (*)(void)))FIND(root, "set_run"))(call_interface);
  const crebind_options slots_only = {.slots_only = true};
  for (step = 0; step < 3; step++) {
    plugin = OPEN(plugin_path, RTLD_NOW);
    handle = REBIND("getppid", hook, &original, &slots_only, NULL);
    CHECK(CALL(plugin, "plugin_call") == getppid());
    crebind_handle *picked = REBIND("pick", pick, NULL, NULL, NULL);
    CHECK(plugin == NULL && CALL(root, "call_pick") == 8);
    RESTORE(picked);
    if (step != 1) RESTORE(handle);
  }
  printf("without the plug-in\n");
}
