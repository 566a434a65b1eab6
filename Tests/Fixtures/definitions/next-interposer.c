/// An interposer that looks for the next function at its first call, as the example of dlsym(3)
/// does, while that function is rebound. It gets the next one, and not the replacement, whose
/// original it is itself.
///
/// Usage: next-interposer [PRELOADED]; starts itself again with that preloaded. With
/// -DINTERPOSER the program is the interposer.

#include "steps.h"

#if defined(INTERPOSER)

__attribute__((visibility("default"))) int interposed;

/// Twice as deep as any call is: a recursion ends here, and not in a full stack.
static int depth;

__attribute__((visibility("default"))) int close(int file) {
  static int (*next)(int);
  if (depth++ > 8) abort();
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "close");
  interposed++;
  int result = next(file);
  depth--;
  return result;
}

#endif

#ifndef LIBRARY

#include "others.h"

static int hooked;
static int (*original)(int);
static int hook(int file) {
  hooked++;
  return original(file);
}

/// The program's own calls of its own function go through no slot: those of others do.
static int close_file(int file) {
#ifdef INTERPOSER
  return ((int (*)(int))find_as_others(RTLD_DEFAULT, "close"))(file);
#else
  return close(file);
#endif
}

int main(int argc, char *argv[]) {
  if (argc == 2) {
    CHECK(setenv("LD_PRELOAD", argv[1], 1) == 0);
    execl("/proc/self/exe", argv[0], (char *)NULL);
  }
  int *calls = dlsym(RTLD_DEFAULT, "interposed"), before = *calls;
  crebind_report report;
  crebind_handle *handle = REBIND("close", hook, &original, NULL, &report);
  CHECK(report.pending == 0 && report.ambiguous == 0);
  int file = open("/dev/null", O_RDONLY);
  CHECK(file >= 0 && close_file(file) == 0 && hooked == 1 && *calls == before + 1);
  CHECK(close_file(file) == -1 && errno == EBADF && hooked == 2 && *calls == before + 2);

  // The first definition is redirected, and what stands behind it is not.
  CHECK(find_as_others(RTLD_DEFAULT, "close") == (void *)hook);
  void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (libc != NULL) CHECK(find_as_others(libc, "close") != (void *)hook);

  RESTORE(handle);
  CHECK(close_file(-1) == -1 && hooked == 2 && *calls == before + 3);
  printf("led to the next\n");
}

#endif
