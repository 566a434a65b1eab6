#if defined(__linux__)
#define _GNU_SOURCE

#include "runtime-images.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/// How the names of their files begin, by kind. libstdc++ is among the libraries that are built on the runtime: that is
/// C++ and allocates through it.
static const char *const names[][10] = {
    [CREBIND_TESTING_RUNTIME] = {"libswiftCore.", "libswift_Concurrency."},
    [CREBIND_TESTING_BUILT_ON_RUNTIME] = {"libswift", "libTesting", "lib_Testing", "libXCTest",
                                          "libFoundation", "lib_Foundation", "libdispatch",
                                          "libBlocksRuntime", "libstdc++"},
    [CREBIND_TESTING_DISPATCH] = {"libdispatch."},
    [CREBIND_TESTING_LOCKING] = {"libswiftCore.", "libswiftSynchronization.", "libFoundation"},
    [CREBIND_TESTING_ICU] = {"lib_FoundationICU.", "libicu"},
    [CREBIND_TESTING_EVENT_LOOPS] = {"libdispatch.", "libFoundation", "lib_Foundation"},
    [CREBIND_TESTING_KEEPERS] = {"libcurl", "libTesting", "lib_Testing", "libXCTest"},
    [CREBIND_TESTING_TESTING] = {"libTesting", "lib_Testing", "libXCTest"},
};

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool has_prefix(const char *path, const void *prefixes) {
  const char *name = file_name(path);
  for (const char *const *prefix = prefixes; *prefix != NULL; prefix++)
    if (strncmp(name, *prefix, strlen(*prefix)) == 0) return true;
  return false;
}

/// True for an image of this path or file name. The program, which the loader has no path for, has the one that
/// ran it.
static bool is_named(const char *path, const void *name) {
  if (path[0] == 0) path = program_invocation_name;
  return strcmp(path, name) == 0 || strcmp(file_name(path), name) == 0;
}

void crebind_testing_find_libraries(crebind_reach_code *code, crebind_testing_libraries libraries) {
  crebind_reach_find_code(code, has_prefix, names[libraries]);
}

void crebind_testing_find_image(crebind_reach_code *code, const char *name) {
  crebind_reach_find_code(code, is_named, name);
}

bool crebind_testing_is_loaded(const char *name) {
  crebind_reach_code code;
  crebind_testing_find_image(&code, name);
  return code.count != 0;
}

const char *crebind_testing_image_path(const void *address) {
  Dl_info information;
  return dladdr(address, &information) != 0 ? information.dli_fname : NULL;
}
#endif
