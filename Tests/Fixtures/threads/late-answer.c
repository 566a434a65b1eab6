/// A predicate answers late: its image has been served for other batches, and other threads call
/// it. The batch's slot is stored on top of theirs then, and its original has to lead to them by
/// that time.
///
/// Usage: late-answer ROUNDS PLUGIN

#include "steps.h"

/// So many rebindings of the batch make the time long between a store and what follows it.
enum { NAMES = 2000 };

static char names[NAMES][16];
static crebind_rebinding rebindings[NAMES + 1];
static const char *plugin;
static pid_t (*staying_original)(void), (*late_original)(void);
static __thread int calls;
static pid_t parent;
static sem_t is_asked, may_answer;
static atomic_bool is_done;

static pid_t staying(void) {
  calls++;
  return __atomic_load_n(&staying_original, __ATOMIC_ACQUIRE)();
}
static pid_t late(void) { return __atomic_load_n(&late_original, __ATOMIC_ACQUIRE)(); }
static void unused(void) {}

static bool answer(const crebind_image_info *image, void *context) {
  if (!is_plugin(image, context)) return false;
  sem_post(&is_asked);
  sem_wait(&may_answer);
  return true;
}

static void *open_plugin(void *unused_argument) {
  void *image = OPEN(plugin, RTLD_NOW);
  atomic_store(&is_done, true);
  CHECK(dlclose(image) == 0);
  return unused_argument;
}

static void *call_plugin(void *function) {
  pid_t (*call)(void) = (pid_t(*)(void))function;
  for (bool is_last = false; !is_last;) {
    is_last = atomic_load(&is_done);
    calls = 0;
    CHECK(call() == parent && calls == 1);
  }
  return NULL;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  plugin = argv[2];
  parent = getppid();
  sem_init(&is_asked, 0, 0);
  sem_init(&may_answer, 0, 0);
  const crebind_options slots = {.slot_kinds = CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT};
  const crebind_options matching = {.scope = CREBIND_SCOPE_MATCHING, .matches = answer};
  REBIND("getppid", staying, &staying_original, &slots, NULL);
  rebindings[0] = (crebind_rebinding){
      .name = "getppid", .replacement = (void *)late, .original = (void **)&late_original};
  for (int i = 0; i < NAMES; i++) {
    snprintf(names[i], sizeof names[i], "not_there_%d", i);
    rebindings[i + 1] =
        (crebind_rebinding){.name = names[i], .replacement = (void *)unused};
  }
  for (long i = atol(argv[1]); i > 0; i--) {
    atomic_store(&is_done, false);
    crebind_handle *handle = APPLY(rebindings, NAMES + 1, &matching, NULL);
    pthread_t opener = START(open_plugin, NULL);
    sem_wait(&is_asked);
    // Serves the image for the batch that stays.
    void *image = OPEN(plugin, RTLD_NOW);
    pthread_t caller = START(call_plugin, FIND(image, "plugin_call"));
    usleep(1000);
    sem_post(&may_answer);
    JOIN(opener);
    JOIN(caller);
    CHECK(dlclose(image) == 0);
    RESTORE(handle);
  }
  printf("each call was counted once\n");
}
