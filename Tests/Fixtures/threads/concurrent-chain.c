/// Threads open, call and close plug-ins while others apply and restore batches above one that
/// stays, in any order, and observe. Each call reaches the one that stays, once, and no callback
/// runs after its end.
///
/// Usage: concurrent-chain MILLISECONDS PLUGIN...

#include "steps.h"

enum { BATCHES = 4 };

static atomic_bool is_done;
static __thread int calls;
static pid_t (*staying_original)(void), (*originals[BATCHES])(void);

static pid_t staying(void) {
  calls++;
  return __atomic_load_n(&staying_original, __ATOMIC_ACQUIRE)();
}
#define HOOK(n) \
  static pid_t hook##n(void) { return __atomic_load_n(&originals[n], __ATOMIC_ACQUIRE)(); }
HOOK(0)
HOOK(1)
HOOK(2)
HOOK(3)
static pid_t (*const hooks[BATCHES])(void) = {hook0, hook1, hook2, hook3};

static char **plugins;
static unsigned plugin_count;

static void *open_and_call(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  while (!atomic_load(&is_done)) {
    const char *path = plugins[(unsigned)rand_r(&state) % plugin_count];
    void *image = OPEN(path, rand_r(&state) % 2 == 0 ? RTLD_LAZY : RTLD_NOW);
    pid_t (*call)(void) = FIND(image, "plugin_call");
    for (int i = 0; i < 3; i++) {
      calls = 0;
      CHECK(call() > 0 && calls == 1);
    }
    CHECK(dlclose(image) == 0);
  }
  return NULL;
}

/// The images may not hold still for long enough.
static bool succeeds(crebind_status status) {
  CHECK(status == CREBIND_OK || status == CREBIND_BUSY);
  return status == CREBIND_OK;
}

static void *apply_and_restore(void *seed) {
  // With and without definitions, and of plug-ins only.
  static const crebind_options options[BATCHES] = {
      [2] = {.slot_kinds = CREBIND_JUMP_SLOT},
      [3] = {.scope = CREBIND_SCOPE_MATCHING, .matches = is_plugin},
  };
  unsigned state = (unsigned)(uintptr_t)seed;
  crebind_handle *handles[BATCHES] = {NULL};
  while (!atomic_load(&is_done)) {
    int i = rand_r(&state) % BATCHES;
    const crebind_rebinding rebinding = {.name = "getppid",
                                         .replacement = (void *)hooks[i],
                                         .original = (void **)&originals[i]};
    if (handles[i] == NULL)
      succeeds(crebind_apply(&rebinding, 1, &options[i], &handles[i], NULL, NULL));
    else if (succeeds(crebind_restore(handles[i], NULL, NULL)))
      handles[i] = NULL;
  }
  return NULL;
}

static void check_live(const crebind_image_info *image, void *is_live) {
  CHECK(image->path != NULL && atomic_load((atomic_bool *)is_live));
}

static void *observe(void *unused) {
  while (!atomic_load(&is_done)) {
    atomic_bool is_live = true;
    const crebind_image_observer observer = {check_live, check_live, &is_live};
    crebind_observation *observation;
    if (!succeeds(crebind_observe(&observer, &observation, NULL))) continue;
    usleep(300);
    crebind_unobserve(observation);
    atomic_store(&is_live, false);
  }
  return unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc > 2);
  plugins = argv + 2;
  plugin_count = (unsigned)argc - 2;
  const crebind_options slots_only = {.slot_kinds = CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT};
  REBIND("getppid", staying, &staying_original, &slots_only, NULL);
  void *(*const work[])(void *) = {open_and_call, open_and_call, open_and_call,
                                   apply_and_restore, observe};
  enum { THREADS = sizeof work / sizeof *work };
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) threads[i] = START(work[i], (void *)(i + 1));
  let_work(atol(argv[1]));
  atomic_store(&is_done, true);
  for (int i = 0; i < THREADS; i++) JOIN(threads[i]);
  printf("each call was counted once\n");
}
