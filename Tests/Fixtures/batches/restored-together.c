/// Two threads restore their batches for one name at a time, in either order, with a replacement
/// each or with a shared one. Afterwards its definition and its slots are as they were, and a batch
/// that is applied then has the function as its original.
///
/// Usage: restored-together LAPS

#include "steps.h"

static int laps;

static int (*originals[2])(const char *);
static int first_hook(const char *text) { return originals[0](text) + 100; }
static int second_hook(const char *text) { return originals[1](text) + 100; }

static void *replacements[2];
static crebind_handle *handles[2];
static pthread_barrier_t barrier;
static const volatile ElfW(Sym) * definition;

/// Nobody calls it: its slot stays as the loader left it.
static __attribute__((used)) int never_called(const char *text) { return atoi(text); }

static void *restore(void *index) {
  for (int lap = 0; lap < laps; lap++) {
    pthread_barrier_wait(&barrier);
    RESTORE(handles[(size_t)index]);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void run(void *function) {
  ElfW(Addr) value = definition->st_value;
  pthread_t threads[2];
  for (size_t i = 0; i < 2; i++) threads[i] = START(restore, (void *)i);
  for (int lap = 0; lap < laps; lap++) {
    for (size_t i = 0; i < 2; i++) {
      handles[i] = REBIND("atoi", replacements[i], &originals[i], NULL, NULL);
      CHECK((void *)originals[i]
            == (i == 0 || replacements[0] == replacements[1] ? function : replacements[0]));
    }
    CHECK(definition->st_value != value);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK(definition->st_value == value);
  }
  for (size_t i = 0; i < 2; i++) JOIN(threads[i]);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  laps = atoi(argv[1]);
  void *function = dlsym(RTLD_DEFAULT, "atoi");
  Dl_info information;
  CHECK(dladdr1(function, &information, (void **)&definition, RTLD_DL_SYMENT) != 0);
  CHECK(pthread_barrier_init(&barrier, NULL, 3) == 0);
  replacements[0] = (void *)first_hook;
  replacements[1] = (void *)second_hook;
  run(function);
  replacements[1] = (void *)first_hook;
  run(function);
  CHECK(never_called("7") == 7);
  printf("each lap left nothing\n");
}
