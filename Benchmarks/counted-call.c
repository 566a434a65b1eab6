/// Prints by how many nanoseconds a counted call is slower than one that is not hooked: the median of 21 turns with both.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void counted(int number);
void plain(int number);

#if defined(LIBRARY)

void counted(int number) { __asm__ volatile("" ::"r"(number)); }
void plain(int number) { __asm__ volatile("" ::"r"(number)); }

#else

#define CALLS 20000000

static double nanoseconds(void (*once)(int)) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < CALLS; i++) once(i);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / CALLS;
}

static __attribute__((noinline)) void call_counted(int number) {
  counted(number);
  __asm__ volatile("");
}

static __attribute__((noinline)) void call_plain(int number) {
  plain(number);
  __asm__ volatile("");
}

static int compare(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

int main(void) {
  double more[21], bare[21];
  for (int turn = 0; turn < 21; turn++) {
    bare[turn] = nanoseconds(call_plain);
    more[turn] = nanoseconds(call_counted) - bare[turn];
  }
  qsort(more, 21, sizeof *more, compare);
  qsort(bare, 21, sizeof *bare, compare);
  printf("%.2f more than %.2f\n", more[10], bare[10]);
}

#endif
