/// With more IFUNCs rebound than resolvers to redirect them to, an image that is loaded later is
/// reached all the same, before dlopen returns.

#define EIGHT(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7)
#define SIXTY_FOUR(M, n)                                                            \
  EIGHT(M, n##0) EIGHT(M, n##1) EIGHT(M, n##2) EIGHT(M, n##3) EIGHT(M, n##4)        \
  EIGHT(M, n##5) EIGHT(M, n##6) EIGHT(M, n##7)
#define ALL(M)                                                                      \
  SIXTY_FOUR(M, pick0) SIXTY_FOUR(M, pick1) SIXTY_FOUR(M, pick2) SIXTY_FOUR(M, pick3) \
  SIXTY_FOUR(M, pick4) SIXTY_FOUR(M, pick5) SIXTY_FOUR(M, pick6) SIXTY_FOUR(M, pick7) \
  SIXTY_FOUR(M, pick8) SIXTY_FOUR(M, pick9)

#if defined(LIBRARY)

static int seven(void) { return 7; }
__attribute__((used)) static int (*resolve(void))(void) { return seven; }
#define DEFINE(n) int n(void) __attribute__((ifunc("resolve")));
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

static int hook(void) { return 100; }

#define NAME(n) {.name = #n, .replacement = (void *)hook},
static const crebind_rebinding rebindings[] = {ALL(NAME)};

int main(int argc, char *argv[]) {
  enum { COUNT = sizeof rebindings / sizeof rebindings[0] };
  CHECK(argc == 2);
  crebind_report report;
  crebind_handle *handle = APPLY(rebindings, COUNT, NULL, &report);
  CHECK(report.pending == 0);
  int (*call_all)(void) = FIND(OPEN(argv[1], RTLD_LAZY), "call_all");
  CHECK(call_all() == 100 * COUNT);
  // Those that were taken can be taken again.
  RESTORE(handle);
  CHECK(call_all() == 7 * COUNT);
  handle = APPLY(rebindings, 512, NULL, NULL);
  crebind_handle *other = APPLY(rebindings, COUNT, NULL, NULL);
  CHECK(call_all() == 100 * COUNT);
  RESTORE(handle);
  RESTORE(other);
  CHECK(call_all() == 7 * COUNT);
  printf("all reached\n");
}

#endif
