/// Threads apply and restore batches for one name, each at its own pace. One is applied while
/// another one is being restored, whose definition has its former value again and whose slots have
/// not. Each is restored wholly, and at the end all is as it was.
///
/// Usage: applied-between LAPS

#include "steps.h"

enum { THREADS = 3 };

static int laps;

static int (*originals[THREADS])(const char *);
static int first_hook(const char *text) { return originals[0](text); }
static int second_hook(const char *text) { return originals[1](text); }
static int third_hook(const char *text) { return originals[2](text); }

static int (*const hooks[THREADS])(const char *) = {first_hook, second_hook, third_hook};
static size_t running = THREADS;

/// Nobody calls it: its slot stays as the loader left it, and a lazy resolver may be under way.
static __attribute__((used)) int never_called(const char *text) { return atoi(text); }

static void *apply_and_restore(void *argument) {
  size_t index = (size_t)argument;
  for (int lap = 0; lap < laps; lap++) {
    RESTORE(REBIND("atoi", hooks[index], &originals[index], NULL, NULL));
  }
  __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
  return NULL;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  laps = atoi(argv[1]);
  void *function = dlsym(RTLD_DEFAULT, "atoi");
  Dl_info information;
  const volatile ElfW(Sym) * definition;
  CHECK(dladdr1(function, &information, (void **)&definition, RTLD_DL_SYMENT) != 0);
  ElfW(Addr) value = definition->st_value;
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++) threads[i] = START(apply_and_restore, (void *)i);
  // A thread that runs is waited for between the definition and the slots.
  while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0) continue;
  for (size_t i = 0; i < THREADS; i++) JOIN(threads[i]);
  CHECK(definition->st_value == value);
  CHECK(never_called("7") == 7);
  printf("nothing was taken for somebody else's hook\n");
}
