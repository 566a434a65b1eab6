/// Pointers that the loader filled and the program has assigned since are the
/// program's, whatever is in them: NULL and a small number too.
///
/// Usage: assigned-pointers LIBRARY, which is this file built with -DLIBRARY.

#include "steps.h"

pid_t (*assigned_null)(void) = getppid;
pid_t (*assigned_one)(void) = getppid;
pid_t (*unassigned)(void) = getppid;

void assign(void) {
  assigned_null = NULL;
  assigned_one = (pid_t(*)(void))(uintptr_t)1;
}

#ifndef LIBRARY

static pid_t (*original)(void);
static pid_t hook(void) { return original() == 0 ? 0 : -1; }

typedef pid_t function(void);

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  void *library = OPEN(argv[1], RTLD_NOW | RTLD_LOCAL);
  function **null = FIND(library, "assigned_null");
  function **one = FIND(library, "assigned_one");
  function **other = FIND(library, "unassigned");
  ((void (*)(void))FIND(library, "assign"))();
  assign();
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
  CHECK(assigned_null == NULL && assigned_one == (function *)1 && unassigned == hook);
  CHECK(*null == NULL && *one == (function *)1 && *other == hook);
  RESTORE(handle);
  CHECK(assigned_null == NULL && assigned_one == (function *)1 && unassigned == getppid);
  CHECK(*null == NULL && *one == (function *)1 && *other == getppid);
  printf("left as assigned\n");
}

#endif
