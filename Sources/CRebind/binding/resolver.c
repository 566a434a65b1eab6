#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/resolver.h"
#include "runtime/publish.h"
#include "runtime/runtime.h"

enum { CREBIND_RESOLVERS = 512 };

/// Read by the resolvers, on any thread.
static uintptr_t targets[CREBIND_RESOLVERS];

// The arguments that some machines pass are ignored.
#define ONE(n) \
  static uintptr_t resolver_##n(void) { return __atomic_load_n(&targets[0##n], __ATOMIC_ACQUIRE); }
#define EIGHT(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7)
#define SIXTY_FOUR(n) \
  EIGHT(n##0) EIGHT(n##1) EIGHT(n##2) EIGHT(n##3) EIGHT(n##4) EIGHT(n##5) EIGHT(n##6) EIGHT(n##7)

// Octal, so that the digits spell the index.
SIXTY_FOUR(0)
SIXTY_FOUR(1)
SIXTY_FOUR(2)
SIXTY_FOUR(3)
SIXTY_FOUR(4)
SIXTY_FOUR(5)
SIXTY_FOUR(6)
SIXTY_FOUR(7)

/// A resolver that was given back keeps its target until its turn comes again:
/// the loader may be about to call it. Taken under our lock, and given back without.
static bool in_use[CREBIND_RESOLVERS];
static size_t next_turn;

uint16_t crebind_resolver_make(uintptr_t target) {
  for (size_t step = 0; step < CREBIND_RESOLVERS; step++) {
    size_t i = (next_turn + step) % CREBIND_RESOLVERS;
    if (__atomic_load_n(&in_use[i], __ATOMIC_ACQUIRE)) continue;
    in_use[i] = true;
    next_turn = i + 1;
    crebind_publish(&targets[i], target);
    return (uint16_t)(i + 1);
  }
  return 0;
}

void crebind_resolver_free(uint16_t resolver) {
  // Without the lock, where a batch is freed.
  if (resolver != 0) __atomic_store_n(&in_use[resolver - 1], false, __ATOMIC_RELEASE);
}

// A table of pointers would need a relocation for each, which every program would pay for at its start.
#define ONE_CASE(n) \
  case 0##n: return (uintptr_t)resolver_##n;
#define EIGHT_CASES(n)                                                                     \
  ONE_CASE(n##0) ONE_CASE(n##1) ONE_CASE(n##2) ONE_CASE(n##3) ONE_CASE(n##4) ONE_CASE(n##5) \
  ONE_CASE(n##6) ONE_CASE(n##7)
#define SIXTY_FOUR_CASES(n)                                                       \
  EIGHT_CASES(n##0) EIGHT_CASES(n##1) EIGHT_CASES(n##2) EIGHT_CASES(n##3)         \
  EIGHT_CASES(n##4) EIGHT_CASES(n##5) EIGHT_CASES(n##6) EIGHT_CASES(n##7)

_Static_assert(CREBIND_RESOLVERS == 0777 + 1, "a case for each");

uintptr_t crebind_resolver_address(uint16_t resolver) {
  switch (resolver - 1) {
    SIXTY_FOUR_CASES(0)
    SIXTY_FOUR_CASES(1)
    SIXTY_FOUR_CASES(2)
    SIXTY_FOUR_CASES(3)
    SIXTY_FOUR_CASES(4)
    SIXTY_FOUR_CASES(5)
    SIXTY_FOUR_CASES(6)
    SIXTY_FOUR_CASES(7)
  default: return 0;
  }
}
#endif
