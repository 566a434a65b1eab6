/// The names of images.

#if defined(__linux__)
#define _GNU_SOURCE

#include "run.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

static char program[4096];

void crebind_run_find_program(void) {
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = 0;
}

const char *crebind_run_path(const char *path) { return *path != 0 ? path : program; }

const char *crebind_run_image_at(const void *address) {
#if __GLIBC_PREREQ(2, 35)
  struct dl_find_object found;
  return _dl_find_object((void *)(uintptr_t)address, &found) == 0
             ? crebind_run_path(found.dlfo_link_map->l_name)
             : "";
#else
  // This takes the loader's lock.
  Dl_info found;
  return dladdr(address, &found) != 0 ? crebind_run_path(found.dli_fname) : "";
#endif
}
#endif
