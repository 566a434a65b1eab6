/// A plug-in with a replacement for getppid; with -DAPPLIES its constructor applies
/// it by a copy of CRebind of its own.

#include <unistd.h>

int plugin_hooked;
pid_t (*plugin_original)(void);

pid_t plugin_hook(void) {
  plugin_hooked++;
  return plugin_original();
}

#ifdef APPLIES
#include "CRebind.h"
#include <stdlib.h>

__attribute__((constructor)) static void apply(void) {
  struct rebinding rebinding = {"getppid", (void *)plugin_hook, (void **)&plugin_original};
  if (rebind_symbols(&rebinding, 1) != 0) abort();
}
#endif
