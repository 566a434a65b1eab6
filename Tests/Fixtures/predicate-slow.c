/// While a batch's predicate stands still on another thread, everybody else applies,
/// restores, verifies and refreshes at once; the batch itself says why it cannot be restored.
/// Its image is served when the predicate has answered, below what was applied meanwhile.
///
/// Usage: predicate-slow PLUGIN

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_bool is_inside, may_leave;

static bool stands(const crebind_image_info *image, void *context) {
  (void)context;
  if (strstr(image->path, "plugin") == NULL) return true;
  atomic_store(&is_inside, true);
  while (!atomic_load(&may_leave)) usleep(1000);
  return true;
}

static int calls[3];
static pid_t (*originals[3])(void);
#define HOOK(n)                 \
  static pid_t hook##n(void) {  \
    calls[n]++;                 \
    return originals[n]();      \
  }
HOOK(0)
HOOK(1)
HOOK(2)

static crebind_handle *apply(int which, const crebind_options *options) {
  static pid_t (*const hooks[])(void) = {hook0, hook1, hook2};
  const crebind_rebinding rebinding = {.name = "getppid",
                                       .replacement = (void *)hooks[which],
                                       .original = (void **)&originals[which]};
  crebind_handle *handle;
  crebind_error error;
  crebind_status status = crebind_apply(&rebinding, 1, options, &handle, NULL, &error);
  if (status != CREBIND_OK) fprintf(stderr, "%s\n", crebind_status_description(status));
  CHECK(status == CREBIND_OK);
  return handle;
}

static void *load(void *path) {
  void *image = dlopen(path, RTLD_LAZY);
  CHECK(image != NULL);
  return image;
}

static void check_calls(pid_t (*call)(void), int first, int second, int third) {
  memset(calls, 0, sizeof calls);
  CHECK(call() > 0);
  CHECK(calls[0] == first && calls[1] == second && calls[2] == third);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  const crebind_options matching = {.scope = CREBIND_SCOPE_MATCHING, .matches = stands};
  crebind_handle *before = apply(0, NULL), *slow = apply(1, &matching);
  pthread_t loader;
  CHECK(pthread_create(&loader, NULL, load, argv[1]) == 0);
  while (!atomic_load(&is_inside)) usleep(1000);

  double start = now();
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(crebind_verify(before, NULL, NULL) == CREBIND_OK);
  CHECK(crebind_restore(before, NULL, NULL) == CREBIND_OK);
  crebind_handle *after = apply(2, NULL);
  CHECK(crebind_restore(after, NULL, NULL) == CREBIND_OK);
  after = apply(2, NULL);
  CHECK(crebind_lookup("getppid") != NULL);
  CHECK(now() - start < 5);
  crebind_error error;
  CHECK(crebind_restore(slow, NULL, &error) == CREBIND_PREDICATE_RUNS);
  CHECK(error.status == CREBIND_PREDICATE_RUNS);

  atomic_store(&may_leave, true);
  void *image;
  CHECK(pthread_join(loader, &image) == 0);
  pid_t (*call)(void) = (pid_t(*)(void))dlsym(image, "plugin_call");
  check_calls(call, 0, 1, 1);
  check_calls(getppid, 0, 1, 1);
  CHECK(crebind_restore(after, NULL, NULL) == CREBIND_OK);
  check_calls(call, 0, 1, 0);
  CHECK(crebind_restore(slow, NULL, NULL) == CREBIND_OK);
  check_calls(call, 0, 0, 0);
  printf("nobody waited\n");
}
