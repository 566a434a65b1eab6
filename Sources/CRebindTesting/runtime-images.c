#define _GNU_SOURCE

#include "runtime-images.h"

#include <dlfcn.h>
#include <errno.h>
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
static const char *const dispatch[] = {"libdispatch."};
static const char *const locking[] = {"libswiftCore.", "libswiftSynchronization.", "libFoundation"};
static const char *const icu[] = {"lib_FoundationICU.", "libicu"};
static const char *const loops[] = {"libdispatch.", "libFoundation", "lib_Foundation"};
static const char *const keepers[] = {"libcurl", "libTesting", "lib_Testing", "libXCTest"};
static const char *const testing[] = {"libTesting", "lib_Testing", "libXCTest"};

/// How the names of files begin.
struct prefixes {
  const char *const *texts;
  size_t count;
};

static bool has_prefix(const char *path, const void *context) {
  const struct prefixes *prefixes = context;
  const char *name = file_name(path);
  for (size_t i = 0; i < prefixes->count; i++)
    if (strncmp(name, prefixes->texts[i], strlen(prefixes->texts[i])) == 0) return true;
  return false;
}

/// True for an image of this path or file name. The program, which the loader has no path for, has the one that
/// ran it.
static bool is_named(const char *path, const void *name) {
  if (path[0] == 0) path = program_invocation_name;
  return strcmp(path, name) == 0 || strcmp(file_name(path), name) == 0;
}

#define FIND(code, list) \
  crebind_reach_find_code(code, has_prefix, \
                          &(const struct prefixes){list, sizeof(list) / sizeof *(list)})

void crebind_testing_find_runtime(crebind_reach_code *code, bool finds_libraries) {
  if (finds_libraries) FIND(code, libraries);
  else FIND(code, runtime);
}

void crebind_testing_find_testing(crebind_reach_code *code) { FIND(code, testing); }

void crebind_testing_find_dispatch(crebind_reach_code *code) { FIND(code, dispatch); }

void crebind_testing_find_locking(crebind_reach_code *code) { FIND(code, locking); }

void crebind_testing_find_icu(crebind_reach_code *code) { FIND(code, icu); }

void crebind_testing_find_loops(crebind_reach_code *code) { FIND(code, loops); }

void crebind_testing_find_keepers(crebind_reach_code *code) { FIND(code, keepers); }

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
