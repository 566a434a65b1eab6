/// Like tcmalloc, it says of all memory that it has no size before its constructor has run.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static size_t (*original)(void *);

__attribute__((constructor)) static void start(void) {
  *(void **)&original = dlsym(RTLD_NEXT, "malloc_usable_size");
}

size_t malloc_usable_size(void *memory) { return original == NULL ? 0 : original(memory); }
