#define _GNU_SOURCE

#include "runtime-images.h"

#include <link.h>
#include <string.h>

/// How the names of their files begin. libstdc++ is among them: Swift's runtime is
/// C++ and allocates through it.
static const char *const prefixes[] = {
    "libswift",    "libTesting",        "lib_Testing",  "libXCTest", "libFoundation",
    "lib_Foundation", "libdispatch", "libBlocksRuntime", "libstdc++",
};

static bool is_runtime(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  crebind_testing_images *images = context;
  if (!is_runtime(info->dlpi_name)) return 0;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0) continue;
    if (images->count == sizeof images->ranges / sizeof *images->ranges) return 1;
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    images->ranges[images->count].start = start;
    images->ranges[images->count++].end = start + header->p_memsz;
  }
  return 0;
}

void crebind_testing_find_runtime(crebind_testing_images *images) {
  images->count = 0;
  dl_iterate_phdr(visit, images);
}

bool crebind_testing_images_contain(const crebind_testing_images *images, const void *address) {
  for (size_t i = 0; i < images->count; i++)
    if ((uintptr_t)address >= images->ranges[i].start && (uintptr_t)address < images->ranges[i].end)
      return true;
  return false;
}
