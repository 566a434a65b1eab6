#define _GNU_SOURCE

#include "runtime-images.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

/// How the names of their files begin. libstdc++ is among them: Swift's runtime is
/// C++ and allocates through it.
static const char *const prefixes[] = {
    "libswift",    "libTesting",        "lib_Testing",  "libXCTest", "libFoundation",
    "lib_Foundation", "libdispatch", "libBlocksRuntime", "libstdc++",
};

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool is_wanted(const char *path, bool wants_libraries) {
  const char *name = file_name(path);
  if (!wants_libraries)
    return strncmp(name, "libswiftCore.", strlen("libswiftCore.")) == 0
           || strncmp(name, "libswift_Concurrency.", strlen("libswift_Concurrency.")) == 0;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

struct search {
  crebind_testing_images *images;
  bool finds_libraries;
  /// The one image that is looked for, if it is not the libraries.
  const char *name;
};

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
                           : !is_wanted(info->dlpi_name, search->finds_libraries))
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

void crebind_testing_find_runtime(crebind_testing_images *images, bool finds_libraries) {
  struct search search = {images, finds_libraries, NULL};
  images->count = 0;
  dl_iterate_phdr(visit, &search);
}

void crebind_testing_find_image(crebind_testing_images *images, const char *name) {
  struct search search = {images, false, name};
  images->count = 0;
  dl_iterate_phdr(visit, &search);
}

bool crebind_testing_images_contain(const crebind_testing_images *images, const void *address) {
  for (size_t i = 0; i < images->count; i++)
    if ((uintptr_t)address >= images->ranges[i].start && (uintptr_t)address < images->ranges[i].end)
      return true;
  return false;
}

const char *crebind_testing_image_path(const void *address) {
  Dl_info information;
  return dladdr(address, &information) != 0 ? information.dli_fname : NULL;
}

struct place {
  uintptr_t address;
  bool is_data;
};

static int visit_place(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct place *place = context;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD
        || place->address - (info->dlpi_addr + header->p_vaddr) >= header->p_memsz)
      continue;
    place->is_data = (header->p_flags & PF_X) == 0;
    return 1;
  }
  return 0;
}

bool crebind_testing_is_data(const void *address) {
  struct place place = {(uintptr_t)address, false};
  if (place.address != 0) dl_iterate_phdr(visit_place, &place);
  return place.is_data;
}
