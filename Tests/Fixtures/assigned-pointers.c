/// Pointers that the loader filled and the program has assigned since are the
/// program's, whatever is in them: NULL and a small number too.
///
/// Usage: assigned-pointers LIBRARY, which is this file built with -DLIBRARY.

#include "check.h"

#include <stdint.h>
#include <unistd.h>

pid_t (*assigned_null)(void) = getppid;
pid_t (*assigned_one)(void) = getppid;
pid_t (*unassigned)(void) = getppid;

void assign(void) {
  assigned_null = NULL;
  assigned_one = (pid_t(*)(void))(uintptr_t)1;
}

#ifndef LIBRARY

#include "CRebind.h"

#include <dlfcn.h>

static pid_t (*original)(void);
static pid_t hook(void) { return original() == 0 ? 0 : -1; }

typedef pid_t function(void);

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(library != NULL);
  function **null = (function **)dlsym(library, "assigned_null");
  function **one = (function **)dlsym(library, "assigned_one");
  function **other = (function **)dlsym(library, "unassigned");
  ((void (*)(void))dlsym(library, "assign"))();
  assign();
  crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(assigned_null == NULL && assigned_one == (function *)1 && unassigned == hook);
  CHECK(*null == NULL && *one == (function *)1 && *other == hook);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(assigned_null == NULL && assigned_one == (function *)1 && unassigned == getppid);
  CHECK(*null == NULL && *one == (function *)1 && *other == getppid);
  printf("left as assigned\n");
}

#endif
