#define _GNU_SOURCE

#include "runtime-images.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

/// How the names of their files begin. libstdc++ is among them: Swift's runtime is
/// C++ and allocates through it.
static const char *const libraries[] = {
    "libswift",    "libTesting",        "lib_Testing",  "libXCTest", "libFoundation",
    "lib_Foundation", "libdispatch", "libBlocksRuntime", "libstdc++",
};

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static const char *const runtime[] = {"libswiftCore.", "libswift_Concurrency."};
static const char *const testing[] = {"libTesting", "lib_Testing", "libXCTest"};

struct search {
  crebind_testing_images *images;
  /// How the names of the files begin, or the one image that is looked for.
  const char *const *prefixes;
  size_t prefix_count;
  const char *name;
};

static bool is_wanted(const char *path, const struct search *search) {
  const char *name = file_name(path);
  for (size_t i = 0; i < search->prefix_count; i++)
    if (strncmp(name, search->prefixes[i], strlen(search->prefixes[i])) == 0) return true;
  return false;
}

/// The path that the loader has; for the program, which it has none for, the one that ran it.
static const char *path_of(const struct dl_phdr_info *info) {
  return info->dlpi_name[0] != 0 ? info->dlpi_name : program_invocation_name;
}

static bool is_named(const struct dl_phdr_info *info, const char *name) {
  const char *path = path_of(info);
  return strcmp(path, name) == 0 || strcmp(file_name(path), name) == 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  const struct search *search = context;
  crebind_testing_images *images = search->images;
  if (search->name != NULL ? !is_named(info, search->name)
                           : !is_wanted(info->dlpi_name, search))
    return 0;
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

static void find(struct search search) {
  search.images->count = 0;
  dl_iterate_phdr(visit, &search);
}

#define PREFIXES(list) .prefixes = list, .prefix_count = sizeof(list) / sizeof *(list)

void crebind_testing_find_runtime(crebind_testing_images *images, bool finds_libraries) {
  if (finds_libraries) find((struct search){images, PREFIXES(libraries)});
  else find((struct search){images, PREFIXES(runtime)});
}

void crebind_testing_find_testing(crebind_testing_images *images) {
  find((struct search){images, PREFIXES(testing)});
}

void crebind_testing_find_image(crebind_testing_images *images, const char *name) {
  find((struct search){images, .name = name});
}

bool crebind_testing_images_contain(const crebind_testing_images *images, const void *address) {
  for (size_t i = 0; i < images->count; i++)
    if ((uintptr_t)address >= images->ranges[i].start && (uintptr_t)address < images->ranges[i].end)
      return true;
  return false;
}

bool crebind_testing_is_loaded(const char *name) {
  crebind_testing_images images;
  crebind_testing_find_image(&images, name);
  return images.count != 0;
}

const char *crebind_testing_image_path(const void *address) {
  Dl_info information;
  return dladdr(address, &information) != 0 ? information.dli_fname : NULL;
}
