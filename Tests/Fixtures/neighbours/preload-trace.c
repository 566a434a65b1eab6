/// A tracing library for LD_PRELOAD: adds a line for each call of the open family
/// to the file that PRELOAD_TRACE_FILE names, `PID direct PATH` or `PID inside
/// PATH`. A direct call is one system call; the others are functions of libc that
/// open a file inside of libc, past every slot.

#define _GNU_SOURCE
#include "CRebind.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/// X(symbol): by the place of the path and of what is passed on.
#define OPENS(X) X(open) X(open64) X(__open_2) X(__open64_2) X(creat) X(creat64)
#define OPENATS(X) X(openat) X(openat64) X(__openat_2) X(__openat64_2)
#define FOPENS(X) X(fopen) X(fopen64)
#define TEMPORARIES(X) X(mkstemp) X(mkstemp64) X(mkostemp) X(mkostemp64) X(mkstemps) \
  X(mkstemps64) X(mkostemps) X(mkostemps64)

#define ORIGINAL(symbol) static void *original_##symbol;
OPENS(ORIGINAL)
OPENATS(ORIGINAL)
FOPENS(ORIGINAL)
TEMPORARIES(ORIGINAL)
ORIGINAL(opendir)

typedef int open_function(const char *, int, mode_t);
typedef int openat_function(int, const char *, int, mode_t);
typedef FILE *fopen_function(const char *, const char *);
typedef DIR *opendir_function(const char *);
typedef int temporary_function(char *, int, int);

static void trace(const char *kind, const char *path) {
  int saved_errno = errno;
  char line[5000];
  const char *output = getenv("PRELOAD_TRACE_FILE");
  int length = snprintf(line, sizeof line, "%d %s %s\n", (int)getpid(), kind, path);
  int file = output == NULL ? -1
                            : ((open_function *)original_open)(
                                  output, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file >= 0) {
    // One write, so that the lines of processes do not mix.
    if (write(file, line, (size_t)length) != length) abort();
    close(file);
  }
  errno = saved_errno;
}

// The arguments that not every one of them has arrive in registers, or are not
// looked at.
#define OPEN_HOOK(symbol)                                            \
  static int hook_##symbol(const char *path, int flags, mode_t mode) { \
    trace("direct", path);                                           \
    return ((open_function *)original_##symbol)(path, flags, mode);  \
  }
#define OPENAT_HOOK(symbol)                                                      \
  static int hook_##symbol(int folder, const char *path, int flags, mode_t mode) { \
    trace("direct", path);                                                       \
    return ((openat_function *)original_##symbol)(folder, path, flags, mode);    \
  }
#define FOPEN_HOOK(symbol)                                           \
  static FILE *hook_##symbol(const char *path, const char *mode) {   \
    trace("inside", path);                                           \
    return ((fopen_function *)original_##symbol)(path, mode);        \
  }
#define TEMPORARY_HOOK(symbol)                                            \
  static int hook_##symbol(char *path, int first, int second) {           \
    int file = ((temporary_function *)original_##symbol)(path, first, second); \
    trace("inside", path);                                                \
    return file;                                                          \
  }
OPENS(OPEN_HOOK)
OPENATS(OPENAT_HOOK)
FOPENS(FOPEN_HOOK)
TEMPORARIES(TEMPORARY_HOOK)

static DIR *hook_opendir(const char *path) {
  trace("inside", path);
  return ((opendir_function *)original_opendir)(path);
}

#define REBINDING(symbol) \
  {.name = #symbol, .replacement = (void *)hook_##symbol, .original = &original_##symbol},

__attribute__((constructor)) static void start(void) {
  int saved_errno = errno;
  const crebind_rebinding rebindings[] = {OPENS(REBINDING) OPENATS(REBINDING) FOPENS(REBINDING)
                                              TEMPORARIES(REBINDING) REBINDING(opendir)};
  crebind_handle *handle;
  crebind_error error;
  if (crebind_apply(rebindings, sizeof rebindings / sizeof rebindings[0], NULL, &handle, NULL,
                    &error)
      != CREBIND_OK) {
    fprintf(stderr, "preload-trace: %s\n", crebind_status_description(error.status));
    abort();
  }
  errno = saved_errno;
}
