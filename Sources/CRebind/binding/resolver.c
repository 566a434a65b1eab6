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

#define ONE_NAME(n) resolver_##n,
#define EIGHT_NAMES(n)                                                                     \
  ONE_NAME(n##0) ONE_NAME(n##1) ONE_NAME(n##2) ONE_NAME(n##3) ONE_NAME(n##4) ONE_NAME(n##5) \
      ONE_NAME(n##6) ONE_NAME(n##7)
#define SIXTY_FOUR_NAMES(n)                                                       \
  EIGHT_NAMES(n##0) EIGHT_NAMES(n##1) EIGHT_NAMES(n##2) EIGHT_NAMES(n##3)         \
      EIGHT_NAMES(n##4) EIGHT_NAMES(n##5) EIGHT_NAMES(n##6) EIGHT_NAMES(n##7)

static uintptr_t (*const resolvers[CREBIND_RESOLVERS])(void) = {
    SIXTY_FOUR_NAMES(0) SIXTY_FOUR_NAMES(1) SIXTY_FOUR_NAMES(2) SIXTY_FOUR_NAMES(3)
        SIXTY_FOUR_NAMES(4) SIXTY_FOUR_NAMES(5) SIXTY_FOUR_NAMES(6) SIXTY_FOUR_NAMES(7)};

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

uintptr_t crebind_resolver_address(uint16_t resolver) {
  return (uintptr_t)resolvers[resolver - 1];
}
#endif
