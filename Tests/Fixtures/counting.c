/// Counters of malloc and its kind, for a thread, a task and the process: calls, bytes asked for, and
/// bytes in use, now and at most.

#define _GNU_SOURCE

#include "CRebindCounting.h"
#include "check.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__GLIBC__)
#define HAS_PVALLOC 1
#else
#define HAS_PVALLOC 0
#define pvalloc valloc
#endif

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

/// It asks for whole pages, and is counted as it is asked.
static void count_pvalloc(void) {
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  block = pvalloc(5);
  CHECK(((uintptr_t)block & 4095) == 0);
  free(block);
  crebind_counting_counts counts = end(scope);
  CHECK(counts.calls[CREBIND_COUNTING_PVALLOC] == HAS_PVALLOC);
  CHECK(counts.calls[CREBIND_COUNTING_VALLOC] == 1 - HAS_PVALLOC);
  CHECK(all_calls(&counts) == 2 && counts.bytes == 5 && counts.live == 0);
  char reason[CREBIND_COUNTING_REASON_SIZE];
  CHECK(crebind_counting_absence(CREBIND_COUNTING_PVALLOC, reason) != HAS_PVALLOC);
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

/// Images are told apart, for each reach: libc allocates for strdup.
static void count_images(crebind_counting_reach reach) {
  crebind_counting_scope *scope = crebind_counting_make(reach);
  CHECK(crebind_counting_watch_images(scope, true));
  crebind_counting_begin(scope, NULL, false);
  task_value = scope;
  has_task = reach == CREBIND_COUNTING_TASK;
  block = strdup("libc's own call");
  free(block);
  block = malloc(1);
  free(block);
  has_task = false;
  crebind_counting_end(scope);
  free(malloc(1));
  uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT], mallocs = 0;
  const char *path;
  for (size_t i = 0; (path = crebind_counting_image(scope, i, calls)) != NULL; i++) {
    bool is_program = path[0] == 0;
    CHECK(calls[CREBIND_COUNTING_FREE] == (is_program ? 2 : 0));
    CHECK(!is_program || calls[CREBIND_COUNTING_MALLOC] == 1);
    CHECK(strcmp(path, CREBIND_COUNTING_ELSEWHERE) != 0 || calls[CREBIND_COUNTING_MALLOC] == 0);
    mallocs += calls[CREBIND_COUNTING_MALLOC];
  }
  CHECK(mallocs == 2);
  crebind_counting_free(scope);
}

/// The calls of images, or of sites and those without one, are all that the scope has counted.
static void check_sums(const crebind_counting_scope *scope, const crebind_counting_counts *counts) {
  uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT], sums[CREBIND_COUNTING_FUNCTION_COUNT] = {0};
  for (size_t i = 0; crebind_counting_image(scope, i, calls) != NULL; i++)
    for (int j = 0; j < CREBIND_COUNTING_FUNCTION_COUNT; j++) sums[j] += calls[j];
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) CHECK(sums[i] == counts->calls[i]);
  crebind_counting_site site;
  uint64_t of_sites = crebind_counting_dropped_calls(scope);
  for (size_t i = 0; crebind_counting_next_site(scope, &i, &site);) of_sites += site.calls;
  CHECK(of_sites == all_calls(counts));
}

static volatile bool is_over;

static void *allocate_on(void *argument) {
  while (!is_over) free(malloc(24));
  return argument;
}

/// A child does not wait for the calls that its parent's other threads were telling, and frees its scopes.
static void check_memory_of_child(void) {
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
  CHECK(crebind_counting_watch_images(scope, false));
  crebind_counting_begin(scope, NULL, false);
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      free(malloc(1));
      crebind_counting_end(scope);
      crebind_counting_free(scope);
      // It is mapped no more.
      _exit(msync(scope, 1, MS_ASYNC) != 0 && errno == ENOMEM ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  crebind_counting_end(scope);
  crebind_counting_free(scope);
}

/// Threads allocate while scopes of the process that watch images come and go.
static void count_images_beside_others(void) {
  pthread_t threads[24];
  for (int i = 0; i < 24; i++) CHECK(pthread_create(&threads[i], NULL, allocate_on, NULL) == 0);
  for (int i = 0; i < 200; i++) {
    crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
    CHECK(crebind_counting_watch_images(scope, false));
    CHECK(crebind_counting_watch_sites(scope, ~0u, 100));
    crebind_counting_begin(scope, NULL, false);
    free(malloc(1));
    crebind_counting_end(scope);
    crebind_counting_counts counts;
    CHECK(!crebind_counting_read(scope, &counts));
    CHECK(counts.calls[CREBIND_COUNTING_MALLOC] >= 1);
    check_sums(scope, &counts);
    crebind_counting_free(scope);
  }
  check_memory_of_child();
  is_over = true;
  for (int i = 0; i < 24; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static _Atomic bool is_stopped, may_go_on;

/// Of a thread that reads a scope on a page that it must not read.
static void stop(int signal) {
  CHECK(signal == SIGSEGV);
  is_stopped = true;
  while (!may_go_on) usleep(1000);
}

static void *allocate_and_stop(void *argument) {
  free(malloc(1));
  return argument;
}

static volatile sig_atomic_t forks;

/// It interrupts the thread that has the lock.
static void fork_in_handler(int signal) {
  CHECK(signal == SIGALRM);
  pid_t child = fork();
  if (child == 0) _exit(0);
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  forks = forks + 1;
}

static crebind_counting_scope *begin_watching_process(void) {
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
  CHECK(crebind_counting_watch_images(scope, false));
  crebind_counting_begin(scope, NULL, false);
  return scope;
}

/// Not msync: qemu-user asks the host there, which keeps a page of 64 KiB whose end the program never gave back.
static bool is_mapped(void *memory) {
  unsigned char is_resident;
  return mincore(memory, 1, &is_resident) == 0;
}

/// A thread is stopped inside of a call that is being told to two scopes. They end meanwhile, and a signal
/// handler forks. Their memory is there until the thread has gone on, and not for ever.
static void count_beside_a_stopped_thread(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  crebind_counting_scope *older = begin_watching_process(), *younger = begin_watching_process();
  struct sigaction stopping = {.sa_handler = stop}, forking = {.sa_handler = fork_in_handler}, before;
  // The thread that is stopped leaves the signal to this one.
  CHECK(sigaddset(&stopping.sa_mask, SIGALRM) == 0);
  // The program's parent may have it blocked.
  CHECK(pthread_sigmask(SIG_UNBLOCK, &stopping.sa_mask, NULL) == 0);
  CHECK(sigaction(SIGSEGV, &stopping, &before) == 0 && sigaction(SIGALRM, &forking, NULL) == 0);
  crebind_counting_suppress_begin();
  CHECK(mprotect(younger, page, PROT_NONE) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, allocate_and_stop, NULL) == 0);
  while (!is_stopped) usleep(1000);
  CHECK(mprotect(younger, page, PROT_READ | PROT_WRITE) == 0);
  // While the end waits for the thread, with the lock.
  struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  crebind_counting_end(younger);
  CHECK(forks == 1);
  crebind_counting_free(younger);
  crebind_counting_end(older);
  crebind_counting_free(older);
  CHECK(is_mapped(younger) && is_mapped(older));
  CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
  may_go_on = true;
  CHECK(pthread_join(thread, NULL) == 0);
  crebind_counting_scope *next = begin_watching_process();
  crebind_counting_end(next);
  crebind_counting_free(next);
  CHECK(!is_mapped(younger) && !is_mapped(older));
  crebind_counting_suppress_end();
}

// MARK: - Leaks

static void *free_blocks(void *blocks) {
  for (void **place = blocks; *place != NULL; place++) free(*place);
  return NULL;
}

/// A block is there until some thread frees it, and those of other threads and former times are none.
static void count_leaks(crebind_counting_reach reach) {
  void *old = malloc(10), *older = malloc(10), *blocks[8] = {NULL};
  crebind_counting_scope *scope = crebind_counting_make(reach);
  CHECK(crebind_counting_leaked_blocks(scope) == -1);
  CHECK(crebind_counting_watch_leaks(scope));
  crebind_counting_begin(scope, NULL, false);
  task_value = scope;
  has_task = reach == CREBIND_COUNTING_TASK;
  free(old);
  older = realloc(older, 100000);
  CHECK(crebind_counting_leaked_blocks(scope) == 0);
  blocks[0] = malloc(10);
  blocks[1] = calloc(1, 10);
  blocks[2] = strdup("libc's own call");
  blocks[3] = realloc(NULL, 10);
  CHECK(posix_memalign(&blocks[4], 64, 10) == 0);
  for (int i = 1; i < 12; i++) blocks[0] = realloc(blocks[0], 10u << i);
  volatile size_t size = SIZE_MAX / 2;
  CHECK(realloc(blocks[1], size) == NULL);
  for (int i = 0; i < 1000; i++) free(malloc((size_t)i));
  CHECK(crebind_counting_leaked_blocks(scope) == 5);
  block = malloc(1);
  has_task = false;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, free_blocks, blocks) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  // The C library keeps the memory of a thread.
  CHECK(reach == CREBIND_COUNTING_PROCESS || crebind_counting_leaked_blocks(scope) == 1);
  free(block);
  crebind_counting_end(scope);
  CHECK(reach == CREBIND_COUNTING_PROCESS || crebind_counting_leaked_blocks(scope) == 0);
  crebind_counting_free(scope);
  free(older);
}

static void *allocate_and_pass(void *argument) {
  void *_Atomic *box = argument;
  while (!is_over) {
    void *passed = atomic_exchange(box, malloc(24));
    free(passed);
  }
  return argument;
}

/// Threads free each other's blocks, whose addresses they are given again.
static void count_leaks_beside_others(void) {
  is_over = false;
  void *_Atomic box = NULL;
  pthread_t threads[8];
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_PROCESS);
  CHECK(crebind_counting_watch_leaks(scope));
  for (int i = 0; i < 8; i++)
    CHECK(pthread_create(&threads[i], NULL, allocate_and_pass, (void *)&box) == 0);
  crebind_counting_begin(scope, NULL, false);
  usleep(50000);
  int64_t before = crebind_counting_leaked_blocks(scope);
  usleep(50000);
  is_over = true;
  for (int i = 0; i < 8; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(before >= 0 && crebind_counting_leaked_blocks(scope) == 1);
  free(box);
  crebind_counting_end(scope);
  CHECK(crebind_counting_leaked_blocks(scope) == 0);
  crebind_counting_free(scope);
}

static void *replace_and_free(void *argument) {
  void *blocks[16];
  while (!is_over) {
    for (int i = 0; i < 16; i++) blocks[i] = malloc(2000);
    for (int i = 0; i < 16; i += 2) blocks[i] = realloc(blocks[i], 3000);
    for (int i = 0; i < 16; i++) free(blocks[i]);
  }
  return argument;
}

#define LEAKS 500

/// Threads out of reach free and replace blocks of their own, whose addresses the task is given at once.
static void count_leaks_beside_frees(void) {
  is_over = false;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, replace_and_free, NULL) == 0);
  for (int round = 0; round < 100; round++) {
    static void *blocks[LEAKS];
    crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_TASK);
    CHECK(crebind_counting_watch_leaks(scope));
    crebind_counting_begin(scope, NULL, false);
    task_value = scope;
    has_task = true;
    for (int i = 0; i < LEAKS; i++) blocks[i] = malloc(2000);
    CHECK(crebind_counting_leaked_blocks(scope) == LEAKS);
    for (int i = 0; i < LEAKS; i++) blocks[i] = realloc(blocks[i], 3000);
    CHECK(crebind_counting_leaked_blocks(scope) == LEAKS);
    for (int i = 0; i < LEAKS; i++) free(blocks[i]);
    CHECK(crebind_counting_leaked_blocks(scope) == 0);
    has_task = false;
    crebind_counting_end(scope);
    crebind_counting_free(scope);
  }
  is_over = true;
  for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

// MARK: - Sites

#if defined(__GLIBC__)
#define LEAST_FRAMES 3
#else
/// The caller alone.
#define LEAST_FRAMES 1
#endif

/// Where the last call of `allocate_here` came from.
static uintptr_t return_address;

__attribute__((noinline)) static void allocate_here(size_t size) {
  return_address = (uintptr_t)__builtin_return_address(0);
  block = malloc(size);
}

static void free_here(void) {
  free(block);
  block = NULL;
}

/// The sites of malloc, two of them at most. A site's second frame is where its function was called.
static size_t sites_of_malloc(const crebind_counting_scope *scope, crebind_counting_site *sites) {
  size_t position = 0, count = 0;
  crebind_counting_site site;
  while (crebind_counting_next_site(scope, &position, &site)) {
    CHECK(site.frame_count >= LEAST_FRAMES && site.frame_count <= CREBIND_COUNTING_SITE_FRAMES);
    if (site.function != CREBIND_COUNTING_MALLOC) continue;
    CHECK(count < 2);
    sites[count++] = site;
  }
  return count;
}

static void count_sites(crebind_counting_reach reach) {
  crebind_counting_scope *scope = crebind_counting_make(reach);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 1000));
  task_value = scope;
  crebind_counting_begin(scope, NULL, false);
  has_task = reach == CREBIND_COUNTING_TASK;
  uintptr_t first = 0, second = 0;
  // One call, however the compiler would unroll the loop.
  for (volatile int i = 0; i < 3; i++) {
    allocate_here(10);
    first = return_address;
    free_here();
  }
  allocate_here(7);
  second = return_address;
  free_here();
  has_task = false;
  crebind_counting_end(scope);
  allocate_here(7);
  free_here();

  crebind_counting_site sites[2];
  CHECK(crebind_counting_dropped_calls(scope) == 0);
  size_t count = sites_of_malloc(scope, sites);
  if (LEAST_FRAMES == 1) {
    CHECK(count == 1 && sites[0].calls == 4 && sites[0].bytes == 37);
    crebind_counting_free(scope);
    return;
  }
  CHECK(first != second && count == 2);
  crebind_counting_site *three = sites[0].calls == 3 ? &sites[0] : &sites[1];
  crebind_counting_site *one = sites[0].calls == 3 ? &sites[1] : &sites[0];
  CHECK(three->calls == 3 && three->bytes == 30 && three->frames[1] == first);
  CHECK(one->calls == 1 && one->bytes == 7 && one->frames[1] == second);
  // main is among the frames, and called this.
  CHECK(three->frames[0] == one->frames[0] && three->frame_count == one->frame_count);
  CHECK(three->frames[2] == one->frames[2] && three->frames[2] == (uintptr_t)__builtin_return_address(0));
  crebind_counting_free(scope);
}

__attribute__((noinline)) static void allocate_deep(int depth) {
  if (depth == 0) allocate_here(1);
  else allocate_deep(depth - 1);
  // So that no compiler makes a loop of it.
  __asm__ volatile("");
}

/// Too many sites are dropped, and too many frames are cut: both are said.
static void count_many_sites(void) {
  if (LEAST_FRAMES == 1) return;
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  // Calls of other groups have none.
  CHECK(crebind_counting_install(CREBIND_COUNTING_MAPPINGS) == 0);
  CHECK(crebind_counting_watch_sites(scope, 1 << CREBIND_COUNTING_MEMORY, 4));
  crebind_counting_begin(scope, NULL, false);
  CHECK(munmap(NULL, 1) == 0);
  for (int i = 0; i < 10; i++) {
    allocate_deep(i);
    crebind_counting_suppress_begin();
    free_here();
    crebind_counting_suppress_end();
  }
  CHECK(crebind_counting_dropped_calls(scope) == 6);
  crebind_counting_counts counts = end(scope);
  CHECK(counts.calls[CREBIND_COUNTING_MALLOC] == 10 && counts.calls[CREBIND_COUNTING_MUNMAP] == 1);
  crebind_counting_uninstall(CREBIND_COUNTING_MAPPINGS);

  scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 4));
  crebind_counting_begin(scope, NULL, false);
  allocate_deep(2 * CREBIND_COUNTING_SITE_FRAMES);
  crebind_counting_end(scope);
  crebind_counting_site sites[2];
  CHECK(sites_of_malloc(scope, sites) == 1);
  CHECK(sites[0].is_cut && sites[0].frame_count == CREBIND_COUNTING_SITE_FRAMES);
  crebind_counting_free(scope);
  free_here();
}

#if defined(__x86_64__)
// Functions without a table of frames, which call their argument. The second one has something else in the
// register of the frame pointer. That of the third one leads to itself.
__asm__(".text\n.type without_table, %function\nwithout_table:\n"
        "push %rbp\n mov %rsp, %rbp\n call *%rdi\n pop %rbp\n ret\n"
        ".type without_frame, %function\nwithout_frame:\n"
        "push %rbp\n lea 24(%rsp), %rbp\n and $-4096, %rbp\n add $16384, %rbp\n call *%rdi\n"
        "pop %rbp\n ret\n"
        ".type with_circle, %function\nwith_circle:\n"
        "push %rbp\n sub $16, %rsp\n mov %rsp, %rbp\n mov %rbp, (%rsp)\n"
        "lea with_circle(%rip), %rax\n mov %rax, 8(%rsp)\n call *%rdi\n"
        "add $16, %rsp\n pop %rbp\n ret\n");
#define HAS_FRAME_POINTERS (LEAST_FRAMES > 1)
#elif defined(__aarch64__)
__asm__(".text\n.type without_table, %function\nwithout_table:\n"
        "stp x29, x30, [sp, #-16]!\n mov x29, sp\n blr x0\n ldp x29, x30, [sp], #16\n ret\n"
        ".type without_frame, %function\nwithout_frame:\n"
        "stp x29, x30, [sp, #-16]!\n mov x29, #8\n blr x0\n ldp x29, x30, [sp], #16\n ret\n"
        ".type with_circle, %function\nwith_circle:\n"
        "stp x29, x30, [sp, #-32]!\n add x29, sp, #16\n adr x9, with_circle\n"
        "stp x29, x9, [sp, #16]\n blr x0\n ldp x29, x30, [sp], #32\n ret\n");
#define HAS_FRAME_POINTERS (LEAST_FRAMES > 1)
#else
#define without_table(function) function()
#define without_frame(function) function()
#define with_circle(function) function()
#define HAS_FRAME_POINTERS 0
#endif

#if defined(__x86_64__) || defined(__aarch64__)
void without_table(void (*function)(void));
void without_frame(void (*function)(void));
void with_circle(void (*function)(void));
#endif

static void allocate_one(void) {
  allocate_here(1);
  __asm__ volatile("");
}

static uintptr_t outer_return_address;

__attribute__((noinline)) static void call_without_table(void) {
  outer_return_address = (uintptr_t)__builtin_return_address(0);
  without_table(allocate_one);
  __asm__ volatile("");
}

__attribute__((noinline)) static void call_without_frame(void) {
  without_frame(allocate_one);
  __asm__ volatile("");
}

__attribute__((noinline)) static void call_with_circle(void) {
  with_circle(allocate_one);
  __asm__ volatile("");
}

__attribute__((noinline)) static void call_deep(int depth) {
  if (depth == 0) call_without_table();
  else call_deep(depth - 1);
  __asm__ volatile("");
}

static void call_below_many(void) { call_deep(2 * CREBIND_COUNTING_SITE_FRAMES); }

static void check_that_it_is_cut(void (*call)(void), size_t least, size_t most) {
  crebind_counting_site site;
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 4));
  crebind_counting_begin(scope, NULL, false);
  call();
  crebind_counting_end(scope);
  CHECK(sites_of_malloc(scope, &site) == 1);
  CHECK(site.is_cut && site.frame_count >= least && site.frame_count <= most);
  crebind_counting_free(scope);
  free_here();
}

/// A backtrace goes on by frame pointers at a function without a table, or says that it is cut.
static void count_sites_without_tables(void) {
  if (!HAS_FRAME_POINTERS) return;
  crebind_counting_site site;
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 4));
  crebind_counting_begin(scope, NULL, false);
  errno = 77;
  call_without_table();
  CHECK(errno == 77);
  crebind_counting_end(scope);
  CHECK(sites_of_malloc(scope, &site) == 1);
  size_t i = 0;
  while (i < site.frame_count && site.frames[i] != outer_return_address) i++;
  // The callers of malloc, allocate_here, allocate_one, without_table and call_without_table.
  CHECK(i == 4);
  crebind_counting_free(scope);
  free_here();

  check_that_it_is_cut(call_without_frame, 3, 7);
  check_that_it_is_cut(call_with_circle, 3, 7);
  check_that_it_is_cut(call_below_many, CREBIND_COUNTING_SITE_FRAMES, CREBIND_COUNTING_SITE_FRAMES);
}

// MARK: - Mappings

static void count_mappings(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  CHECK(crebind_counting_install(CREBIND_COUNTING_MAPPINGS) == 0);
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  char *mapping = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mapping != MAP_FAILED);
  mapping[3 * page - 1] = 1;
  void *place = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // The variadic argument arrives.
  mapping = mremap(mapping, 3 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  CHECK(mapping == place && mapping[3 * page - 1] == 1);
  CHECK(munmap(mapping, 4 * page) == 0);
  errno = 0;
  CHECK(mmap(NULL, 0, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  CHECK(errno == EINVAL);
  // The C library maps a large block, by calls of its own.
  block = malloc(64 << 20);
  CHECK(block != NULL);
  free_here();
  crebind_counting_counts counts = end(scope);
  uint64_t maps = counts.calls[CREBIND_COUNTING_MMAP] + counts.calls[CREBIND_COUNTING_MMAP64];
  CHECK(maps == 3 && counts.without_mapping == 1);
  CHECK(counts.calls[CREBIND_COUNTING_MREMAP] == 1 && counts.calls[CREBIND_COUNTING_MUNMAP] == 1);
  CHECK(counts.mapped_bytes == 11 * page && counts.bytes == 64 << 20);
  crebind_counting_uninstall(CREBIND_COUNTING_MAPPINGS);
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
#if defined(__GLIBC__)
  // So that threads are given each other's blocks, as with other allocators.
  CHECK(mallopt(M_ARENA_MAX, 1) == 1);
#endif
  CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
  check_absences();
  count_each_function();
  count_pvalloc();
  count_what_fails();
  count_nested();
  count_process();
  count_tasks();
  count_images(CREBIND_COUNTING_TASK);
  count_images(CREBIND_COUNTING_THREAD);
  count_images(CREBIND_COUNTING_PROCESS);
  count_images_beside_others();
  count_beside_a_stopped_thread();
  count_leaks(CREBIND_COUNTING_TASK);
  count_leaks(CREBIND_COUNTING_THREAD);
  count_leaks(CREBIND_COUNTING_PROCESS);
  count_leaks_beside_others();
  count_leaks_beside_frees();
  count_sites(CREBIND_COUNTING_TASK);
  count_sites(CREBIND_COUNTING_THREAD);
  count_sites(CREBIND_COUNTING_PROCESS);
  count_many_sites();
  count_sites_without_tables();
  count_mappings();
  count_after_fork();

  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  crebind_counting_uninstall(CREBIND_COUNTING_MEMORY);
  free(malloc(1));
  crebind_counting_counts counts = end(scope);
  CHECK(all_calls(&counts) == 0);
  printf("all calls were counted\n");
  return 0;
}
