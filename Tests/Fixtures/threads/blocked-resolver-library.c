/// A definition; with -DCALLER its caller; with -DROOT an image that needs both. With -DSLOW an
/// image whose constructor holds the loader's lock until it may go on.

#ifdef SLOW

#include "blocked-resolver.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void wait(void) {
  void *address = NULL;
  sscanf(getenv("BLOCKED_RESOLVER"), "%p", &address);
  struct blocked_resolver *shared = address;
  atomic_store(&shared->is_inside, 1);
  while (!atomic_load(&shared->may_go_on)) {}
}

#elif defined CALLER

int blocked(void);
int call_blocked(void) { return blocked(); }

#elif !defined ROOT

int blocked(void) { return 1; }

#endif
