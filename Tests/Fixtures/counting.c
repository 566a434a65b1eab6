/// Counters of malloc and its kind, for a thread, a task and the process: calls, bytes asked for, and
/// bytes in use, now and at most.

#define _GNU_SOURCE

#include "CRebindCounting.h"
#include "check.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// In place of Swift's runtime: the thread's task has this scope.
static __thread crebind_counting_scope *volatile task_value;
static __thread volatile bool has_task;
static const char task_key;

void *swift_task_localValueGet(const void *key) {
  CHECK(key == &task_key);
  return has_task ? (void *)&task_value : NULL;
}

/// So that no call is left out.
static void *volatile block;

static crebind_counting_scope *begin(crebind_counting_reach reach) {
  crebind_counting_scope *scope = crebind_counting_make(reach);
  CHECK(scope != NULL);
  crebind_counting_begin(scope, NULL, true);
  return scope;
}

static crebind_counting_counts end(crebind_counting_scope *scope) {
  crebind_counting_counts counts;
  crebind_counting_end(scope);
  CHECK(crebind_counting_read(scope, &counts));
  crebind_counting_free(scope);
  return counts;
}

static uint64_t all_calls(const crebind_counting_counts *counts) {
  uint64_t sum = 0;
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) sum += counts->calls[i];
  return sum;
}

static void count_each_function(void) {
  void *aligned = NULL;
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  block = malloc(10);
  block = realloc(block, 1000);
  free(block);
  block = calloc(3, 7);
  block = reallocarray(block, 2, 50);
  free(block);
  CHECK(posix_memalign(&aligned, 64, 20) == 0);
  free(aligned);
  block = aligned_alloc(32, 64);
  free(block);
  block = memalign(32, 5);
  free(block);
  block = valloc(4);
  free(block);
  block = strdup("libc's own call");
  free(block);
  crebind_counting_counts counts = end(scope);
  CHECK(counts.calls[CREBIND_COUNTING_MALLOC] == 2);
  CHECK(counts.calls[CREBIND_COUNTING_CALLOC] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_REALLOC] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_REALLOCARRAY] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_POSIX_MEMALIGN] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_ALIGNED_ALLOC] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_MEMALIGN] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_VALLOC] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_FREE] == 7);
  CHECK(all_calls(&counts) == 16);
  CHECK(counts.bytes == 10 + 1000 + 21 + 100 + 20 + 64 + 5 + 4 + 16);
  CHECK(counts.replaced == 2 && counts.without_block == 0);
  CHECK(counts.live == 0 && counts.peak >= 1000 && counts.peak < 5000);
}

static void count_what_fails(void) {
  // Too large for any compiler to know.
  volatile size_t size = SIZE_MAX / 2;
  void *kept = malloc(1);
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  block = malloc(size);
  CHECK(block == NULL && errno == ENOMEM);
  CHECK(realloc(kept, size) == NULL);
  CHECK(calloc(size, 4) == NULL);
  block = NULL;
  free(block);
  crebind_counting_counts counts = end(scope);
  CHECK(all_calls(&counts) == 3 && counts.without_block == 3);
  CHECK(counts.bytes == 0 && counts.replaced == 0 && counts.live == 0 && counts.peak == 0);

  scope = begin(CREBIND_COUNTING_THREAD);
  free(kept);
  counts = end(scope);
  CHECK(counts.live < 0 && counts.peak == 0 && all_calls(&counts) == 1);
  errno = 77;
  block = malloc(1);
  free(block);
  CHECK(errno == 77);
}

/// The peak of an inner scope does not hide that of the outer one, nor the other way.
static void count_nested(void) {
  crebind_counting_scope *outer = begin(CREBIND_COUNTING_THREAD);
  free(malloc(100000));
  void *kept = malloc(50000);
  crebind_counting_scope *inner = begin(CREBIND_COUNTING_THREAD);
  void *more = malloc(1000);
  crebind_counting_suppress_begin();
  free(malloc(300));
  crebind_counting_suppress_end();
  crebind_counting_counts so_far;
  CHECK(crebind_counting_read(inner, &so_far) && so_far.live >= 1000);
  free(more);
  crebind_counting_counts of_inner = end(inner);
  free(kept);
  crebind_counting_counts of_outer = end(outer);
  CHECK(of_inner.peak >= 1000 && of_inner.peak < 2000 && of_inner.live == 0);
  CHECK(of_outer.peak >= 100000 && of_outer.peak < 110000 && of_outer.live == 0);
  CHECK(of_inner.calls[CREBIND_COUNTING_MALLOC] == 1 && of_inner.bytes == 1000);
  CHECK(of_outer.calls[CREBIND_COUNTING_MALLOC] == 3 && of_outer.bytes == 151000);
}

#define THREADS 40
#define ROUNDS 1000

static void *allocate(void *scope) {
  task_value = scope;
  has_task = scope != NULL;
  for (int i = 0; i < ROUNDS; i++) free(malloc(24));
  return NULL;
}

static void run_threads(void *scope) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, allocate, scope) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void count_process(void) {
  // The C library allocates for a thread in ways of its own, and keeps some of that.
  run_threads(NULL);
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_PROCESS);
  crebind_counting_scope *own = begin(CREBIND_COUNTING_THREAD);
  run_threads(NULL);
  crebind_counting_counts of_own = end(own), counts = end(scope);
  uint64_t mallocs =
      counts.calls[CREBIND_COUNTING_MALLOC] - of_own.calls[CREBIND_COUNTING_MALLOC];
  CHECK(mallocs == THREADS * ROUNDS);
  CHECK(counts.calls[CREBIND_COUNTING_FREE] - of_own.calls[CREBIND_COUNTING_FREE] == mallocs);
  CHECK(counts.bytes - of_own.bytes == 24 * mallocs);
  CHECK(counts.live == of_own.live);
  CHECK(counts.peak - of_own.peak >= 24 && counts.peak <= of_own.peak + THREADS * 100);
}

static void count_tasks(void) {
  crebind_counting_set_task_key(&task_key);
  crebind_counting_scope *outer = begin(CREBIND_COUNTING_TASK);
  crebind_counting_scope *inner = crebind_counting_make(CREBIND_COUNTING_TASK);
  crebind_counting_begin(inner, outer, false);
  run_threads(inner);
  run_threads(NULL);
  crebind_counting_counts of_inner = end(inner);
  run_threads(outer);
  crebind_counting_counts of_outer = end(outer);
  CHECK(of_inner.calls[CREBIND_COUNTING_MALLOC] == THREADS * ROUNDS);
  CHECK(of_inner.calls[CREBIND_COUNTING_FREE] == THREADS * ROUNDS);
  CHECK(of_inner.bytes == 24 * THREADS * ROUNDS && of_inner.live == 0);
  CHECK(of_inner.peak >= 24 && of_inner.peak <= THREADS * 100);
  CHECK(of_outer.calls[CREBIND_COUNTING_MALLOC] == 2 * THREADS * ROUNDS);
  CHECK(of_outer.bytes == 2 * of_inner.bytes && of_outer.peak >= 24);
}

/// Images are told apart: libc allocates for strdup.
static void count_images(void) {
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_TASK);
  CHECK(crebind_counting_watch_images(scope, true));
  crebind_counting_begin(scope, NULL, false);
  task_value = scope;
  has_task = true;
  block = strdup("libc's own call");
  free(block);
  block = malloc(1);
  free(block);
  has_task = false;
  crebind_counting_end(scope);
  uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT], mallocs = 0;
  for (size_t i = 0; crebind_counting_image(scope, i, calls) != NULL; i++) {
    bool is_program = crebind_counting_image(scope, i, calls)[0] == 0;
    CHECK(calls[CREBIND_COUNTING_FREE] == (is_program ? 2 : 0));
    CHECK(!is_program || calls[CREBIND_COUNTING_MALLOC] == 1);
    mallocs += calls[CREBIND_COUNTING_MALLOC];
  }
  CHECK(mallocs == 2);
  crebind_counting_free(scope);
}

/// A child counts its own calls, and finds no lock held.
static void count_after_fork(void) {
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_PROCESS);
  free(malloc(1));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
    free(malloc(1));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, allocate, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    crebind_counting_counts counts = end(scope);
    _exit(counts.calls[CREBIND_COUNTING_MALLOC] >= 2 + ROUNDS ? 0 : 1);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  crebind_counting_counts counts = end(scope);
  CHECK(counts.calls[CREBIND_COUNTING_MALLOC] == 1);
}

static void check_absences(void) {
  char reason[CREBIND_COUNTING_REASON_SIZE] = "";
  CHECK(!crebind_counting_absence(CREBIND_COUNTING_MALLOC, reason));
  CHECK(!crebind_counting_absence(CREBIND_COUNTING_FREE, reason));
  CHECK(!crebind_counting_size_absence(reason));
  CHECK(crebind_counting_install(CREBIND_COUNTING_REFERENCES) == 0);
  CHECK(crebind_counting_absence(CREBIND_COUNTING_RETAIN, reason));
  CHECK(!crebind_counting_is_known(CREBIND_COUNTING_RETAIN));
  CHECK(strstr(reason, "swift_retain") != NULL || strstr(reason, "defines it") != NULL);
  crebind_counting_uninstall(CREBIND_COUNTING_REFERENCES);
}

int main(void) {
  CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
  check_absences();
  count_each_function();
  count_what_fails();
  count_nested();
  count_process();
  count_tasks();
  count_images();
  count_after_fork();

  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  crebind_counting_uninstall(CREBIND_COUNTING_MEMORY);
  free(malloc(1));
  crebind_counting_counts counts = end(scope);
  CHECK(all_calls(&counts) == 0);
  printf("all calls were counted\n");
  return 0;
}
