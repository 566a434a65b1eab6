/// While a batch's predicate stands still on another thread, everybody else applies,
/// restores, verifies and refreshes at once; the batch itself says why it cannot be restored.
/// Its image is served when the predicate has answered, below what was applied meanwhile.
///
/// Usage: predicate-slow PLUGIN

#include "steps.h"

#include <sys/resource.h>

static sem_t is_inside, may_leave;

static bool stands(const crebind_image_info *image, void *context) {
  if (!is_plugin(image, context)) return true;
  CHECK(sem_post(&is_inside) == 0 && sem_wait(&may_leave) == 0);
  CHECK(sem_post(&may_leave) == 0);
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
  return REBIND("getppid", hooks[which], &originals[which], options, NULL);
}

static void *load(void *path) { return OPEN(path, RTLD_LAZY); }

static void check_calls(pid_t (*call)(void), int first, int second, int third) {
  memset(calls, 0, sizeof calls);
  CHECK(call() > 0);
  CHECK(calls[0] == first && calls[1] == second && calls[2] == third);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  CHECK(sem_init(&is_inside, 0, 0) == 0 && sem_init(&may_leave, 0, 0) == 0);
  const crebind_options matching = {.scope = CREBIND_SCOPE_MATCHING, .matches = stands};
  crebind_handle *before = apply(0, NULL), *slow = apply(1, &matching);
  pthread_t loader = START(load, argv[1]);
  CHECK(sem_wait(&is_inside) == 0);

  // A call that waited until the predicate has answered would wait for ever.
  struct rusage usage;
  CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
  long sleeps = usage.ru_nvcsw;
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(crebind_verify(before, NULL, NULL) == CREBIND_OK);
  RESTORE(before);
  crebind_handle *after = apply(2, NULL);
  RESTORE(after);
  after = apply(2, NULL);
  CHECK(crebind_lookup("getppid") != NULL);
  // One that waited for a while would look again and again, and sleep in between.
  CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
  CHECK(usage.ru_nvcsw - sleeps < 100);
  crebind_error error;
  CHECK(crebind_restore(slow, NULL, &error) == CREBIND_PREDICATE_RUNS);
  CHECK(error.status == CREBIND_PREDICATE_RUNS);

  CHECK(sem_post(&may_leave) == 0);
  void *image = JOIN(loader);
  pid_t (*call)(void) = FIND(image, "plugin_call");
  check_calls(call, 0, 1, 1);
  check_calls(getppid, 0, 1, 1);
  RESTORE(after);
  check_calls(call, 0, 1, 0);
  RESTORE(slow);
  check_calls(call, 0, 0, 0);
  printf("nobody waited\n");
}
