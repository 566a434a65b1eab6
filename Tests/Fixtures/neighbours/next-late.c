/// A function comes that a rebinding has waited for: whoever is led to the replacement, even
/// at that moment, and asks dlsym gets the function, and not the replacement.
///
/// Usage: next-late LIBRARY ROUNDS

#include "steps.h"

typedef int function(void);

#define EIGHT(x) ONE(x##0) ONE(x##1) ONE(x##2) ONE(x##3) ONE(x##4) ONE(x##5) ONE(x##6) ONE(x##7)
#define ALL EIGHT(0) EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5) EIGHT(6) EIGHT(7)

#if defined(LIBRARY)

#define ONE(n) int late_##n(void) { return 7; }
ALL

#elif defined(ASKER)

/// Holds no replacement, so the loader answers.
function *ask_loader(void) {
  void *found = dlsym(RTLD_DEFAULT, "late_00");
  __asm__ volatile("" : "+r"(found));
  return (function *)found;
}

#else

function *ask_loader(void);

static function *original;
static volatile int is_over;
static sem_t has_asked;

static int replacement(void) {
  void *behind = dlsym(RTLD_DEFAULT, "late_00");
  __asm__ volatile("" : "+r"(behind));
  CHECK(behind != NULL && (function *)behind != replacement && original != NULL);
  return 100 + ((function *)behind)();
}

static void *call_on(void *unused) {
  CHECK(ask_loader() == NULL);
  sem_post(&has_asked);
  while (!is_over) {
    function *found = ask_loader();
    if (found != NULL) CHECK(found() % 100 == 7);
  }
  return unused;
}

#define ONE(n) {.name = "late_" #n, .replacement = (void *)replacement},

static void load_once(const char *library) {
  crebind_rebinding rebindings[] = {ALL};
  rebindings[0].original = (void **)&original;
  APPLY(rebindings, sizeof rebindings / sizeof *rebindings, NULL, NULL);
  pthread_t threads[2];
  CHECK(sem_init(&has_asked, 0, 0) == 0);
  for (int i = 0; i < 2; i++) threads[i] = START(call_on, NULL);
  // Both ask on now.
  for (int i = 0; i < 2; i++) CHECK(sem_wait(&has_asked) == 0);
  OPEN(library, RTLD_NOW | RTLD_GLOBAL);
  CHECK(ask_loader() == replacement && replacement() == 107);
  is_over = 1;
  for (int i = 0; i < 2; i++) JOIN(threads[i]);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  // A function that has been found is not unloaded, so each round is a process.
  for (int round = atoi(arguments[2]); round > 0; round--) {
    IN_CHILD load_once(arguments[1]);
  }
  puts("none got the replacement");
}

#endif
