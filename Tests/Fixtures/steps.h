/// Steps that most fixtures take, each with its check: rebind and restore, open an image and call
/// its functions, start and join threads, wait for children. A step that fails ends the program, and
/// says at which line of the fixture. This header comes first, but for headers of the core's floors.
/// It brings those of the C library that fixtures need.

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Ends the program if a step was not taken.
static inline void check_step(int line, bool is_taken, const char *step, const char *reason) {
  if (is_taken) return;
  fprintf(stderr, "%s:%d: cannot %s: %s\n", __BASE_FILE__, line, step, reason);
  exit(1);
}

/// The head of a function that the program's calls of `name` reach, with -Wl,--wrap=name. It calls
/// the other one as `__real_name`.
#define WRAPPED(type, name, ...)   \
  type __real_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__)

// MARK: - Rebinding

static inline crebind_handle *apply_step(int line, const crebind_rebinding *rebindings,
                                         size_t count, const crebind_options *options,
                                         crebind_report *report) {
  crebind_handle *handle;
  crebind_status status = crebind_apply(rebindings, count, options, &handle, report, NULL);
  check_step(line, status == CREBIND_OK, "apply", crebind_status_description(status));
  return handle;
}
/// Applies a batch, and returns its handle.
#define APPLY(rebindings, count, options, report) \
  apply_step(__LINE__, rebindings, count, options, report)

/// Applies a batch of one rebinding.
///
/// \param place The address of the original, of any type, or NULL.
#define REBIND(symbol, hook, place, options, report)                                         \
  apply_step(__LINE__,                                                                       \
             &(const crebind_rebinding){.name = symbol,                                      \
                                        .replacement = (void *)(hook),                       \
                                        .original = (void **)(place)},                       \
             1, options, report)

/// Defines a hook that counts its calls, for a function without parameters that returns the type.
#define COUNTING_HOOK(type)       \
  static int hooked;              \
  static type (*original)(void);  \
  static type hook(void) {        \
    hooked++;                     \
    return original();            \
  }

static inline void restore_step(int line, crebind_handle *handle) {
  crebind_status status = crebind_restore(handle, NULL, NULL);
  check_step(line, status == CREBIND_OK, "restore", crebind_status_description(status));
}
#define RESTORE(handle) restore_step(__LINE__, handle)

// MARK: - Images

static inline void *open_step(int line, const char *path, int mode) {
  void *image = dlopen(path, mode);
  check_step(line, image != NULL, "open an image", image == NULL ? dlerror() : "");
  return image;
}
/// Opens an image by dlopen.
#define OPEN(path, mode) open_step(__LINE__, path, mode)

static inline void *find_step(int line, void *image, const char *name) {
  void *symbol = dlsym(image, name);
  check_step(line, symbol != NULL, "find a symbol", name);
  return symbol;
}
/// Finds a symbol by dlsym.
#define FIND(image, name) find_step(__LINE__, image, name)
/// Finds a function without parameters that returns an `int` or `pid_t`, and calls it.
#define CALL(image, name) ((int (*)(void))FIND(image, name))()

/// Where the image that an address is in begins, by dladdr.
static inline const void *header_of(const void *address) {
  Dl_info info;
  CHECK(dladdr(address, &info) != 0);
  return info.dli_fbase;
}

static inline const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/// For CREBIND_SCOPE_MATCHING: matches plugin.so, plugin1.so and their like.
static inline bool is_plugin(const crebind_image_info *image, void *context) {
  (void)context;
  return strstr(image->path, "plugin") != NULL;
}

// MARK: - Threads and children

static inline pthread_t start_step(int line, void *(*run)(void *), void *argument) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, run, argument);
  check_step(line, error == 0, "start a thread", error == 0 ? "" : strerror(error));
  return thread;
}
#define START(run, argument) start_step(__LINE__, run, argument)

static inline void *join_step(int line, pthread_t thread) {
  void *result;
  int error = pthread_join(thread, &result);
  check_step(line, error == 0, "join a thread", error == 0 ? "" : strerror(error));
  return result;
}
/// Joins a thread, and returns its result.
#define JOIN(thread) join_step(__LINE__, thread)

static inline void wait_step(int line, pid_t child) {
  int status = 1;
  bool ends_well = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  check_step(line, ends_well, "go on", child > 0 ? "a child has failed" : "there is no child");
}
/// Waits for a child, which ends with status 0.
#define WAIT_FOR(child) wait_step(__LINE__, child)

/// Before a statement: a child executes it, and has to end well.
#define IN_CHILD                                                                               \
  for (pid_t child = fork(); child == 0 || (wait_step(__LINE__, child), false); _exit(0))

/// Waits until another thread of this process sleeps, by the state in its file stat.
static inline void wait_until_asleep(pid_t thread) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  for (;;) {
    FILE *file = fopen(path, "r");
    CHECK(file != NULL && fgets(text, sizeof text, file) != NULL && fclose(file) == 0);
    if (strrchr(text, ')')[2] == 'S') return;
  }
}

// MARK: - Time

static inline long milliseconds_of(clockid_t clock) {
  struct timespec now;
  CHECK(clock_gettime(clock, &now) == 0);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void sleep_for(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/// Lets the other threads work, for this long and until they have used as much processor time: they
/// get as far on a busy machine.
static inline void let_work(long milliseconds) {
  long enough = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) + milliseconds;
  sleep_for(milliseconds);
  while (milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) < enough) sleep_for(10);
}
