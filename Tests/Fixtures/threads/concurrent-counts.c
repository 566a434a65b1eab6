/// Eight threads call a function, half of them through plug-ins that they open and close, while
/// another thread rebinds, verifies and restores. Each call reaches the function exactly once, at
/// most through the hook. After the last restore no call of any image reaches the hook.
///
/// Usage: concurrent-counts PHASES MILLISECONDS-OF-EACH PLUGIN...

#include "steps.h"

/// ThreadSanitizer does not see the loader's own locks, and what it does see, its
/// calls of malloc and free, looks like races with whoever asks for the images.
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "called_from_lib:ld-linux*.so*\n"; }

enum { THREADS = 8 };

int counted(void);
extern atomic_long calls_counted;

static atomic_bool is_done;
static atomic_long calls, hooked;
static int (*original)(void);

static int hook(void) {
  atomic_fetch_add(&hooked, 1);
  // Others may be storing it: the core does so by one atomic store.
  return __atomic_load_n(&original, __ATOMIC_ACQUIRE)();
}

static void call(int (*function)(void)) {
  atomic_fetch_add(&calls, 1);
  CHECK(function() == 1);
}

static int call_here(void) { return counted(); }

/// Calls until the end; the plug-in that is open then stays open, and is returned.
static void *work(void *plugin) {
  if (plugin == NULL) {
    while (!atomic_load(&is_done)) call(call_here);
    return NULL;
  }
  for (;;) {
    void *image = OPEN(plugin, RTLD_LAZY);
    int (*function)(void) = FIND(image, "plugin_call");
    int (*const *pointer)(void) = FIND(image, "plugin_pointer");
    for (int i = 0; i < 10; i++) {
      call(function);
      call(__atomic_load_n(pointer, __ATOMIC_ACQUIRE));
    }
    if (atomic_load(&is_done)) return image;
    CHECK(dlclose(image) == 0);
  }
}

/// For so long, and until this process has used as much processor time: a busy machine does not shorten
/// the work.
static void rebind_for(long duration) {
  long end = milliseconds_of(CLOCK_MONOTONIC) + duration;
  long enough = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) + duration;
  do {
    crebind_handle *handle = REBIND("counted", hook, &original, NULL, NULL);
    CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK);
    RESTORE(handle);
  } while (milliseconds_of(CLOCK_MONOTONIC) < end
           || milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) < enough);
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 4);
  int phases = atoi(argv[1]);
  long duration = atol(argv[2]);
  bool was_hooked = false;
  for (int phase = 0; phase < phases || !was_hooked; phase++) {
    pthread_t threads[THREADS];
    atomic_store(&is_done, false);
    for (int i = 0; i < THREADS; i++) {
      void *plugin = i % 2 == 0 ? NULL : argv[3 + (i / 2 + phase) % (argc - 3)];
      threads[i] = START(work, plugin);
    }
    rebind_for(duration);
    atomic_store(&is_done, true);

    void *images[THREADS];
    for (int i = 0; i < THREADS; i++) images[i] = JOIN(threads[i]);
    CHECK(atomic_load(&calls_counted) == atomic_load(&calls));
    CHECK(atomic_load(&hooked) <= atomic_load(&calls));
    was_hooked |= atomic_load(&hooked) > 0;
    atomic_store(&hooked, 0);
    for (int i = 0; i < THREADS; i++) {
      call(call_here);
      if (images[i] == NULL) continue;
      call(FIND(images[i], "plugin_call"));
      call(*(int (*const *)(void))FIND(images[i], "plugin_pointer"));
      CHECK(dlclose(images[i]) == 0);
    }
    CHECK(atomic_load(&hooked) == 0);
  }
  printf("every call counted once\n");
}
