/// An image that dlmopen puts into another namespace has its own libc, and is left alone. The
/// generation that reads oddly afterwards (dlpi_subs) disturbs nothing.

#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1000000; }

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  pid_t parent = getppid();
  void *before = dlmopen(LM_ID_NEWLM, argv[1], RTLD_LAZY);
  CHECK(before != NULL && CALL(before, "plugin_call") == parent);
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
  void *after = dlmopen(LM_ID_NEWLM, argv[1], RTLD_LAZY);
  void *own = OPEN(argv[1], RTLD_LAZY);
  CHECK(after != NULL);
  CHECK(getppid() == parent + 1000000 && CALL(own, "plugin_call") == parent + 1000000);
  CHECK(CALL(before, "plugin_call") == parent && CALL(after, "plugin_call") == parent);
  CHECK(dlclose(after) == 0);
  CHECK(crebind_refresh(NULL) == CREBIND_OK && CALL(own, "plugin_call") == parent + 1000000);
  RESTORE(handle);
  CHECK(getppid() == parent && CALL(own, "plugin_call") == parent);
  CHECK(CALL(before, "plugin_call") == parent);
  printf("left alone\n");
}
