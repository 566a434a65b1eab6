/// Time grows with the number of names, not with its square. Ten times as many names in one image
/// are applied, applied again, brought to an image that comes later, and restored.

#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define HUNDRED(M, n)                                                                    \
  TEN(M, n##0) TEN(M, n##1) TEN(M, n##2) TEN(M, n##3) TEN(M, n##4) TEN(M, n##5)          \
  TEN(M, n##6) TEN(M, n##7) TEN(M, n##8) TEN(M, n##9)
#define THOUSAND(M, n)                                                                   \
  HUNDRED(M, n##0) HUNDRED(M, n##1) HUNDRED(M, n##2) HUNDRED(M, n##3) HUNDRED(M, n##4)   \
  HUNDRED(M, n##5) HUNDRED(M, n##6) HUNDRED(M, n##7) HUNDRED(M, n##8) HUNDRED(M, n##9)
#define ALL(M)                                                                           \
  THOUSAND(M, n0) THOUSAND(M, n1) THOUSAND(M, n2) THOUSAND(M, n3) THOUSAND(M, n4)        \
  THOUSAND(M, n5) THOUSAND(M, n6) THOUSAND(M, n7) THOUSAND(M, n8) THOUSAND(M, n9)

#if defined(LIBRARY)

#define DEFINE(n) \
  int n(void) { return 1; }
ALL(DEFINE)

#elif defined(CALLER)

#define DECLARE(n) int n(void);
ALL(DECLARE)
#define CALL(n) sum += n();
int call_all(void) {
  int sum = 0;
  ALL(CALL)
  return sum;
}

#else

#include "steps.h"

enum { FEW = 1000, MANY = 10000, PHASES = 5, ROUNDS = 3 };

static char names[MANY][8];
static int hook(void) { return 10; }
static int second_hook(void) { return 100; }

static double now(void) {
  struct timespec time;
  // The processor's time: a busy machine does not count.
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static crebind_handle *apply(size_t count, int (*replacement)(void)) {
  static crebind_rebinding rebindings[MANY];
  for (size_t i = 0; i < count; i++)
    rebindings[i] = (crebind_rebinding){.name = names[i], .replacement = (void *)replacement};
  crebind_report report;
  crebind_handle *handle = APPLY(rebindings, count, NULL, &report);
  CHECK(report.skipped == 0 && report.pending == 0);
  return handle;
}

static void *open_caller(const char *path, int (**call)(void)) {
  void *image = OPEN(path, RTLD_LAZY);
  *call = FIND(image, "call_all");
  return image;
}

/// Keeps the least milliseconds that each phase has taken.
static void measure(size_t count, const char *path, double least[PHASES]) {
  int rest = MANY - (int)count, all = (int)count, phase = 0;
  double start;
#define PHASE(statement)                                  \
  start = now();                                          \
  statement;                                              \
  if (now() - start < least[phase]) least[phase] = now() - start; \
  phase++
  int (*call)(void);
  crebind_handle *first, *second;
  void *image = open_caller(path, &call);
  PHASE(first = apply(count, hook));
  CHECK(call() == 10 * all + rest);
  PHASE(second = apply(count, second_hook));
  CHECK(call() == 100 * all + rest);
  PHASE(RESTORE(first));
  CHECK(call() == 100 * all + rest);
  PHASE(RESTORE(second));
  CHECK(call() == MANY);
  CHECK(dlclose(image) == 0);

  first = apply(count, hook);
  second = apply(count, second_hook);
  image = open_caller(path, &call);
  PHASE(CHECK(crebind_refresh(NULL) == CREBIND_OK));
  CHECK(call() == 100 * all + rest);
  RESTORE(first);
  RESTORE(second);
  CHECK(call() == MANY);
  CHECK(dlclose(image) == 0);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  for (int i = 0; i < MANY; i++) snprintf(names[i], sizeof names[i], "n%04d", i);
  double few[PHASES], many[PHASES];
  for (int phase = 0; phase < PHASES; phase++) few[phase] = many[phase] = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    measure(FEW, argv[1], few);
    measure(MANY, argv[1], many);
  }
  static const char *const phases[] = {"apply", "apply again", "restore", "restore last", "refresh"};
  int is_linear = 1;
  for (int phase = 0; phase < PHASES; phase++) {
    double times = many[phase] / few[phase];
    if (times < 30) continue;
    is_linear = 0;
    fprintf(stderr, "%s: %.2f ms, and %.2f ms for ten times as many\n", phases[phase], few[phase],
            many[phase]);
  }
  if (getenv("PRINT_TIMES") != NULL)
    for (int phase = 0; phase < PHASES; phase++)
      printf("%s: %.2f ms, %.2f ms\n", phases[phase], few[phase], many[phase]);
  CHECK(is_linear);
  printf("in proportion\n");
}

#endif
