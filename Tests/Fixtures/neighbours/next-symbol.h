/// Replacements of `value` that ask for the function behind it in every way.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

#define VERSION "V1"

typedef int function(void);

/// No tail call: whoever asks is known by the address that dlsym returns to.
__attribute__((always_inline)) static inline function *answer(void *found) {
  __asm__ volatile("" : "+r"(found));
  return (function *)found;
}

/// Asks as `how` says; `library` is a handle of the library that defines `value`.
/// In line, so that the asker is the caller's image.
__attribute__((always_inline)) static inline function *ask(const char *how, const char *name,
                                                           void *library) {
  if (strcmp(how, "next") == 0) return answer(dlsym(RTLD_NEXT, name));
  if (strcmp(how, "default") == 0) return answer(dlsym(RTLD_DEFAULT, name));
  if (strcmp(how, "handle") == 0) return answer(dlsym(library, name));
#ifdef __GLIBC__
  if (strcmp(how, "next version") == 0) return answer(dlvsym(RTLD_NEXT, name, VERSION));
  if (strcmp(how, "default version") == 0) return answer(dlvsym(RTLD_DEFAULT, name, VERSION));
  if (strcmp(how, "handle version") == 0) return answer(dlvsym(library, name, VERSION));
#endif
  return NULL;
}

static const char *const ways[] = {"next", "default", "handle",
#ifdef __GLIBC__
                                   "next version", "default version", "handle version",
#endif
};
enum { WAYS = sizeof ways / sizeof *ways };
