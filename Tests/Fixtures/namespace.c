/// An image that dlmopen puts into another namespace has its own libc, and is left alone. The
/// generation that reads oddly afterwards (dlpi_subs) disturbs nothing.

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1000000; }

static pid_t call_in(void *plugin) { return ((pid_t(*)(void))dlsym(plugin, "plugin_call"))(); }

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  pid_t parent = getppid();
  void *before = dlmopen(LM_ID_NEWLM, argv[1], RTLD_LAZY);
  CHECK(before != NULL && call_in(before) == parent);
  crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  void *after = dlmopen(LM_ID_NEWLM, argv[1], RTLD_LAZY);
  void *own = dlopen(argv[1], RTLD_LAZY);
  CHECK(after != NULL && own != NULL);
  CHECK(getppid() == parent + 1000000 && call_in(own) == parent + 1000000);
  CHECK(call_in(before) == parent && call_in(after) == parent);
  CHECK(dlclose(after) == 0);
  CHECK(crebind_refresh(NULL) == CREBIND_OK && call_in(own) == parent + 1000000);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(getppid() == parent && call_in(own) == parent && call_in(before) == parent);
  printf("left alone\n");
}
