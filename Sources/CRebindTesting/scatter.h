/// Numbers that look random.

#if defined(__linux__) && !defined(CREBIND_TESTING_SCATTER_H)
#define CREBIND_TESTING_SCATTER_H

#include <stdint.h>

/// A number that looks random, the same for the same seed and number (splitmix64).
static inline uint64_t crebind_testing_scatter(uint64_t seed, uint64_t number) {
  uint64_t value = seed + number * 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

#endif
