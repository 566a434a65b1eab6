/// Threads open, ask and close two libraries with a function of one name while another one applies
/// and restores. The redirected one changes all the time. Each caller reaches the function of the
/// library that it has open, through the replacement or without.
///
/// Usage: concurrent-definitions MILLISECONDS FIRST SECOND

#if defined(LIBRARY)

int number(void) { return NUMBER; }

#else

#include "steps.h"
#include "others.h"

static atomic_bool is_done;
static atomic_int hooked, plain;
static char **paths;

static int (*original)(void);
static int hook(void) {
  atomic_fetch_add(&hooked, 1);
  return __atomic_load_n(&original, __ATOMIC_ACQUIRE)();
}

static void *open_and_ask(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  while (!atomic_load(&is_done)) {
    int index = rand_r(&state) % 2;
    void *image = OPEN(paths[index], RTLD_LAZY | RTLD_LOCAL);
    for (int i = 0; i < 3; i++) {
      int (*number)(void) = (int (*)(void))find_as_others(image, "number");
      if (number != hook) atomic_fetch_add(&plain, 1);
      CHECK(number() == index + 1);
    }
    CHECK(dlclose(image) == 0);
  }
  return NULL;
}

static void *apply_and_restore(void *unused) {
  while (!atomic_load(&is_done)) {
    crebind_rebinding rebinding = {.name = "number", .replacement = (void *)hook,
                                   .original = (void **)&original};
    crebind_handle *handle;
    crebind_status status = crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL);
    CHECK(status == CREBIND_OK || status == CREBIND_BUSY);
    if (status != CREBIND_OK) continue;
    usleep(20000);
    while ((status = crebind_restore(handle, NULL, NULL)) == CREBIND_BUSY) continue;
    CHECK(status == CREBIND_OK);
  }
  return unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  paths = argv + 2;
  void *(*const work[])(void *) = {open_and_ask, open_and_ask, apply_and_restore};
  enum { THREADS = sizeof work / sizeof *work };
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) threads[i] = START(work[i], (void *)(i + 1));
  let_work(atol(argv[1]));
  // On a busy machine one round may take longer.
  while (hooked == 0 || plain == 0) sleep_for(10);
  atomic_store(&is_done, true);
  for (int i = 0; i < THREADS; i++) JOIN(threads[i]);
  CHECK(hooked > 0 && plain > 0);
  printf("each reached its own\n");
}

#endif
