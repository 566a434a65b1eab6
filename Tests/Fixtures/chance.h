/// Numbers that look random, and are the same ones for the same seed: Marsaglia's xorshift.

#include <stddef.h>
#include <stdint.h>

/// Not 0.
static uint64_t chance = 88172645463325252;

static inline uint64_t any(void) {
  chance ^= chance << 13;
  chance ^= chance >> 7;
  chance ^= chance << 17;
  return chance;
}

/// The high bits are the better ones.
static inline size_t below(size_t limit) { return (size_t)(any() >> 16) % limit; }
