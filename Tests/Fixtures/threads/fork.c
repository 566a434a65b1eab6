/// Children forked while another thread applies, restores and observes can do all
/// of that themselves: no lock is left held, and no change half made.

#include "steps.h"

enum { CHILDREN = 200 };

static atomic_bool is_done;
static int hooked;
static pid_t (*original)(void);
static pid_t (*childs_original)(void);

static pid_t hook(void) { return __atomic_load_n(&original, __ATOMIC_ACQUIRE)(); }
static pid_t childs_hook(void) {
  hooked++;
  return childs_original();
}

static void count_image(const crebind_image_info *image, void *count) {
  (void)image;
  atomic_fetch_add((atomic_int *)count, 1);
}

static void observe(void) {
  atomic_int images = 0;
  const crebind_image_observer observer = {.added = count_image, .context = &images};
  crebind_observation *observation;
  CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
  CHECK(atomic_load(&images) > 0);
  crebind_unobserve(observation);
}

/// Forks out of a callback: the observers' lock is this thread's, and its child's.
static void fork_once(const crebind_image_info *image, void *has_forked) {
  (void)image;
  if (*(bool *)has_forked) return;
  *(bool *)has_forked = true;
  IN_CHILD observe();
}

static void *rebind(void *unused) {
  while (!atomic_load(&is_done)) {
    RESTORE(REBIND("getppid", hook, &original, NULL, NULL));
  }
  return unused;
}

static void *keep_observing(void *unused) {
  while (!atomic_load(&is_done)) observe();
  return unused;
}

static void be_child(pid_t parent) {
  for (int i = 1; i <= 2; i++) {
    crebind_handle *handle = REBIND("getppid", childs_hook, &childs_original, NULL, NULL);
    CHECK(getppid() == parent && hooked == i);
    RESTORE(handle);
    CHECK(getppid() == parent && hooked == i);
  }
  observe();
  _exit(0);
}

int main(void) {
  pid_t own = getpid();
  pthread_t threads[] = {START(rebind, NULL), START(keep_observing, NULL)};
  for (int i = 0; i < CHILDREN; i++) {
    pid_t child = fork();
    if (child == 0) be_child(own);
    WAIT_FOR(child);
  }
  bool has_forked = false;
  const crebind_image_observer observer = {.added = fork_once, .context = &has_forked};
  crebind_observation *observation;
  CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK && has_forked);
  crebind_unobserve(observation);
  atomic_store(&is_done, true);
  for (int i = 0; i < 2; i++) JOIN(threads[i]);
  printf("every child did its work\n");
}
