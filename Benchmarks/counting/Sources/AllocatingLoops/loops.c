#define _GNU_SOURCE

#include "AllocatingLoops.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void run(long pairs) {
  for (long i = 0; i < pairs; i++) free(malloc(24));
}

double allocate(long pairs) {
  double best = 0;
  for (int round = 0; round < 15; round++) {
    double start = now();
    run(pairs);
    double time = (now() - start) / (double)pairs;
    if (round == 0 || time < best) best = time;
  }
  return best;
}

static void *run_on_thread(void *pairs) {
  run(*(long *)pairs);
  return NULL;
}

double allocate_on_threads(int threads, long pairs) {
  double best = 0;
  for (int round = 0; round < 7; round++) {
    pthread_t ids[threads];
    double start = now();
    for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, run_on_thread, &pairs);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    double time = (now() - start) / (double)pairs / threads;
    if (round == 0 || time < best) best = time;
  }
  return best;
}
