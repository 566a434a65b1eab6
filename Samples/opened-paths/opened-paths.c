/// Prints each path that a program opens, and the image that asks:
///
///   LD_PRELOAD=$PWD/opened-paths.so ls /usr
///
/// Calls inside of libc, such as that of fopen, go through no slot, so fopen and opendir are hooked themselves.
/// Needs glibc 2.35 or later.

#define _GNU_SOURCE

#include <CRebind.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/// Takes no lock: dladdr waits while another thread loads a library, whose constructor may wait for this call.
static void say(const char *function, const char *path, void *caller) {
  int error = errno;
  struct dl_find_object found;
  const char *name = "?";
  if (_dl_find_object(caller, &found) == 0) name = found.dlfo_link_map->l_name;
  // The loader has no name for the program.
  if (*name == 0) name = program_invocation_name;
  dprintf(2, "%s(\"%s\") from %s\n", function, path != NULL ? path : "NULL", name);
  errno = error;
}

/// A replacement that says the path and calls the original. open takes a mode only with O_CREAT; passing it on
/// always does no harm, as it is in a register.
#define HOOK(result, name, path, parameters, arguments)                                          \
  static result(*original_##name) parameters;                                                    \
  static result hook_##name parameters {                                                         \
    say(#name, path, __builtin_return_address(0));                                               \
    return original_##name arguments;                                                            \
  }

HOOK(int, open, path, (const char *path, int flags, mode_t mode), (path, flags, mode))
HOOK(int, open64, path, (const char *path, int flags, mode_t mode), (path, flags, mode))
HOOK(int, openat, path, (int at, const char *path, int flags, mode_t mode), (at, path, flags, mode))
HOOK(int, openat64, path, (int at, const char *path, int flags, mode_t mode), (at, path, flags, mode))
HOOK(int, creat, path, (const char *path, mode_t mode), (path, mode))
HOOK(FILE *, fopen, path, (const char *path, const char *mode), (path, mode))
HOOK(FILE *, fopen64, path, (const char *path, const char *mode), (path, mode))
HOOK(DIR *, opendir, path, (const char *path), (path))

/// Asked once about each definition that an image imports, now or later.
static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)context;
  // A program may have a function of its own with such a name.
  if (!import->is_function || strncmp(import->definer.soname, "libc.so", 7) != 0) return;
#define CHOOSE(function)                                                                         \
  if (strcmp(import->name, #function) == 0)                                                      \
    *choice = (crebind_import_choice){(void *)hook_##function, (void **)&original_##function};
  CHOOSE(open) CHOOSE(open64) CHOOSE(openat) CHOOSE(openat64)
  CHOOSE(creat) CHOOSE(fopen) CHOOSE(fopen64) CHOOSE(opendir)
}

__attribute__((constructor)) static void begin(void) {
  crebind_imports *imports;
  crebind_report report;
  crebind_status status = crebind_apply_imports(choose, NULL, NULL, &imports, &report, NULL);
  if (status != CREBIND_OK)
    dprintf(2, "opened-paths: %s\n", crebind_status_description(status));
  else if (report.changed == 0)
    dprintf(2, "opened-paths: no image loaded so far calls a function that opens a path\n");
}
