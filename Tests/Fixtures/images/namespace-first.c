/// CRebind in the first image of a namespace, which is no program and may be closed: a replacement in it
/// stays loaded all the same.

#include "steps.h"

#ifdef LIBRARY

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1000000; }
int rebind(void) {
  REBIND("getppid", hook, &original, NULL, NULL);
  return 1;
}

#else

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  Lmid_t namespace;
  void *first = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
  CHECK(first != NULL && dlinfo(first, RTLD_DI_LMID, &namespace) == 0);
  void *plugin = dlmopen(namespace, argv[2], RTLD_NOW);
  CHECK(plugin != NULL && CALL(plugin, "plugin_call") == getppid());
  CHECK(CALL(first, "rebind") == 1 && dlclose(first) == 0);
  CHECK(CALL(plugin, "plugin_call") == getppid() + 1000000);
  printf("held\n");
}

#endif
