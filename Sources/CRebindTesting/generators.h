/// The generators of the C library that a program gives seeds to. A seed gives the numbers that glibc has for it.

#if defined(__linux__) && !defined(CREBIND_TESTING_GENERATORS_H)
#define CREBIND_TESTING_GENERATORS_H

#include <stddef.h>
#include <stdint.h>

/// The words of random(3), with its usual state.
#define CREBIND_TESTING_RANDOM_WORDS 31

/// The generator of rand(3) and random(3). It adds the words, which lie in a ring.
typedef struct crebind_testing_random {
  uint32_t words[CREBIND_TESTING_RANDOM_WORDS];
  size_t place;
} crebind_testing_random;

/// The linear generator of drand48(3) and its kind, of 48 bits, that POSIX states.
typedef struct crebind_testing_rand48 {
  uint64_t state;
} crebind_testing_rand48;

/// Gives the generator the state that srandom(3) gives it.
void crebind_testing_seed_random(crebind_testing_random *generator, uint32_t seed);
/// A number of 31 bits.
int32_t crebind_testing_next_random(crebind_testing_random *generator);

/// Gives the generator the state that srand48(3) gives it.
void crebind_testing_seed_rand48(crebind_testing_rand48 *generator, uint32_t seed);
/// The next state.
uint64_t crebind_testing_next_rand48(crebind_testing_rand48 *generator);

#endif
