/// A batch that another copy of CRebind lies on top of is restored again while that copy gives its
/// definitions back, one before and one meanwhile. It is restored, or reports again that it is
/// covered, and stays usable until it is restored.
///
/// Usage: restored-again COPY LAPS; COPY is built of this file with -DCOPY.

#include "steps.h"

enum { NAMES = 2 };

struct copy {
  void (*apply)(size_t index);
  crebind_status (*restore)(size_t index);
};

#ifdef COPY

static int (*originals[NAMES])(const char *);
static int first_hook(const char *text) { return originals[0](text); }
static int second_hook(const char *text) { return originals[1](text); }
static crebind_handle *handles[NAMES];

static void apply(size_t index) {
  const crebind_rebinding rebindings[NAMES] = {
      {.name = "atoi", .replacement = (void *)first_hook, .original = (void **)&originals[0]},
      {.name = "atol", .replacement = (void *)second_hook, .original = (void **)&originals[1]}};
  handles[index] = APPLY(&rebindings[index], 1, NULL, NULL);
}

static crebind_status restore(size_t index) { return crebind_restore(handles[index], NULL, NULL); }

extern const struct copy copy;
const struct copy copy = {apply, restore};

#else

enum { LONGEST_PAUSE = 1500000 };

static int (*originals[NAMES])(const char *);
static int first_hook(const char *text) { return originals[0](text); }
static int second_hook(const char *text) { return originals[1](text); }

static const struct copy *other;
static pthread_barrier_t barrier;
static int laps;
static unsigned pause_loops;

static void *restore_other(void *unused) {
  (void)unused;
  for (int lap = 0; lap < laps; lap++) {
    pthread_barrier_wait(&barrier);
    for (volatile unsigned i = 0; i < pause_loops; i++) continue;
    CHECK(other->restore(1) == CREBIND_OK);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void run_lap(void) {
  const crebind_rebinding rebindings[NAMES] = {
      {.name = "atoi", .replacement = (void *)first_hook, .original = (void **)&originals[0]},
      {.name = "atol", .replacement = (void *)second_hook, .original = (void **)&originals[1]}};
  crebind_handle *handle = APPLY(rebindings, NAMES, NULL, NULL);
  for (size_t i = 0; i < NAMES; i++) other->apply(i);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_COVERED);
  CHECK(other->restore(0) == CREBIND_OK);
  pthread_barrier_wait(&barrier);
  crebind_status status = crebind_restore(handle, NULL, NULL);
  CHECK(status == CREBIND_OK || status == CREBIND_COVERED);
  pthread_barrier_wait(&barrier);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  if (status == CREBIND_COVERED) RESTORE(handle);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  laps = atoi(argv[2]);
  void *function = dlsym(RTLD_DEFAULT, "atol");
  Dl_info information;
  const volatile ElfW(Sym) * definition;
  CHECK(dladdr1(function, &information, (void **)&definition, RTLD_DL_SYMENT) != 0);
  ElfW(Addr) value = definition->st_value;
  other = FIND(OPEN(argv[1], RTLD_NOW), "copy");
  CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
  pthread_t thread = START(restore_other, NULL);
  for (int lap = 0; lap < laps; lap++) {
    // From at once to some milliseconds, as a restore takes.
    pause_loops = (unsigned)lap * (LONGEST_PAUSE / (unsigned)laps);
    run_lap();
    CHECK(definition->st_value == value);
  }
  JOIN(thread);
  printf("restored each time\n");
}

#endif
