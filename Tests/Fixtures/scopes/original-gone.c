/// A plug-in's slot leads to a definition in its local scope. When the plug-in has gone, another
/// definition is in the global scope: that is the original from then on.
///
/// Usage: original-gone DEFINER PLUGIN GLOBAL

#ifdef VALUE

int dependency(void);
int dependency(void) { return VALUE; }

#elif defined CALLER

int dependency(void);
int call_dependency(void);
int call_dependency(void) { return dependency(); }

#else

#include "steps.h"

COUNTING_HOOK(int)

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  OPEN(argv[1], RTLD_NOW | RTLD_LOCAL);
  void *plugin = OPEN(argv[2], RTLD_NOW | RTLD_LOCAL);
  REBIND("dependency", hook, &original, NULL, NULL);
  CHECK(CALL(plugin, "call_dependency") == 1 && hooked == 1);
  OPEN(argv[3], RTLD_NOW | RTLD_GLOBAL);
  CHECK(dlclose(plugin) == 0 && crebind_refresh(NULL) == CREBIND_OK);
  CHECK(original() == 2);
  printf("the other one\n");
}

#endif
