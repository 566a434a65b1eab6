/// An image whose constructor loads another one, and whose destructor closes it.

#include "nested-loads.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void *inner;

__attribute__((constructor)) static void load(void) {
  void *address = NULL;
  sscanf(getenv("NESTED_LOADS"), "%p", &address);
  struct nested_loads *nested = address;
  atomic_store(&nested->is_inside, 1);
  while (nested->waits && !atomic_load(&nested->may_load)) {}
  inner = dlopen(nested->inner, RTLD_LAZY);
  if (inner == NULL) abort();
}

__attribute__((destructor)) static void unload(void) { dlclose(inner); }
