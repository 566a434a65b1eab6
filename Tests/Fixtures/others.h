/// Asks the loader as images do that hold no replacement: those that hold one are given what
/// is behind it.

#include <dlfcn.h>

static void *(*find_as_others)(void *, const char *);

/// Before anything is rebound, and by the loader's own address.
__attribute__((constructor)) static void keep_loader_function(void) {
  find_as_others = (void *(*)(void *, const char *))dlsym(RTLD_DEFAULT, "dlsym");
}
