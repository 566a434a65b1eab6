#if defined(__linux__)
#include "generators.h"

#define WORDS CREBIND_TESTING_RANDOM_WORDS

void crebind_testing_seed_random(crebind_testing_random *generator, uint32_t seed) {
  int32_t word = seed != 0 ? (int32_t)seed : 1;
  for (size_t i = 0; i < WORDS; i++) {
    generator->words[i] = (uint32_t)word;
    // 16807 * word modulo 2^31 - 1, without going beyond 31 bits.
    word = 16807 * (word % 127773) - 2836 * (word / 127773);
    if (word < 0) word += 0x7fffffff;
  }
  generator->place = 0;
  // The first numbers are passed over, as glibc does.
  for (int i = 0; i < 10 * WORDS; i++) crebind_testing_next_random(generator);
}

int32_t crebind_testing_next_random(crebind_testing_random *generator) {
  size_t place = generator->place;
  uint32_t word = generator->words[(place + 3) % WORDS] += generator->words[place];
  generator->place = (place + 1) % WORDS;
  return (int32_t)(word >> 1);
}

void crebind_testing_seed_rand48(crebind_testing_rand48 *generator, uint32_t seed) {
  generator->state = (uint64_t)seed << 16 | 0x330e;
}

uint64_t crebind_testing_next_rand48(crebind_testing_rand48 *generator) {
  return generator->state = (generator->state * 0x5deece66d + 0xb) & ((1ull << 48) - 1);
}
#endif
