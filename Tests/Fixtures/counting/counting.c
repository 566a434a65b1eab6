/// Counters of malloc and its kind, for a thread, a task and the process: calls, bytes asked for, and
/// bytes in use, now and at most. Also mappings, and blocks that leak.

#include "counting.h"
#include "CRebindReach.h"

#if defined(__GLIBC__)
#define HAS_PVALLOC 1
#else
#define HAS_PVALLOC 0
#define pvalloc valloc
#endif

/// So that no call is left out.
static void *volatile block;

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
  for (int i = 0; i < THREADS; i++) threads[i] = START(allocate, scope);
  for (int i = 0; i < THREADS; i++) JOIN(threads[i]);
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

static sem_t is_given, is_freed;

/// Blocks of two threads, of which each frees one of the other's. The first thread alone has written so far.
static void *allocate_second(void *place) {
  void **blocks = place;
  task_value = blocks[0];
  has_task = true;
  blocks[2] = malloc(2000);
  CHECK(sem_post(&is_given) == 0 && sem_wait(&is_freed) == 0);
  free(blocks[1]);
  blocks[1] = malloc(500);
  return NULL;
}

/// A scope's blocks and their peak are sums over all threads, though a thread that is alone counts by itself.
static void count_memory_of_two_threads(void) {
  CHECK(sem_init(&is_given, 0, 0) == 0 && sem_init(&is_freed, 0, 0) == 0);
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_TASK);
  void *blocks[3] = {scope};
  task_value = scope;
  has_task = true;
  free(malloc(100));
  blocks[1] = malloc(1000);
  has_task = false;
  crebind_counting_counts so_far;
  CHECK(crebind_counting_read(scope, &so_far) && so_far.peak >= 1000 && so_far.peak < 1200);
  CHECK(so_far.live == (int64_t)malloc_usable_size(blocks[1]));
  pthread_t thread = START(allocate_second, blocks);
  CHECK(sem_wait(&is_given) == 0);
  CHECK(crebind_counting_read(scope, &so_far) && so_far.peak >= 3000 && so_far.peak < 3200);
  CHECK(so_far.live == so_far.peak && crebind_counting_kept_blocks(scope) == 2);
  free(blocks[2]);
  CHECK(crebind_counting_read(scope, &so_far));
  CHECK(so_far.live == (int64_t)malloc_usable_size(blocks[1]));
  CHECK(sem_post(&is_freed) == 0);
  JOIN(thread);
  CHECK(crebind_counting_read(scope, &so_far) && crebind_counting_kept_blocks(scope) == 1);
  CHECK(so_far.live == (int64_t)malloc_usable_size(blocks[1]));
  free(blocks[1]);
  crebind_counting_counts counts = end(scope);
  CHECK(counts.live == 0 && counts.peak >= 3000 && counts.peak < 3200);
}

/// A task may free the block that another one was given.
static void free_a_block_of_another_task(void) {
  crebind_counting_scope *first = begin(CREBIND_COUNTING_TASK);
  crebind_counting_scope *second = begin(CREBIND_COUNTING_TASK);
  has_task = true;
  task_value = first;
  block = malloc(1000);
  task_value = second;
  free(block);
  has_task = false;
  CHECK(crebind_counting_kept_blocks(first) == 0);
  CHECK(end(second).calls[CREBIND_COUNTING_FREE] == 1);
  crebind_counting_counts counts = end(first);
  CHECK(counts.live == 0 && counts.peak >= 1000 && counts.calls[CREBIND_COUNTING_FREE] == 0);
}

/// Of the counters.
extern crebind_reach_blocks crebind_counting_blocks;

static size_t count_of_blocks(void) {
  size_t count = 0;
  for (crebind_reach_block *block = crebind_counting_blocks; block != NULL; block = block->next) count++;
  return count;
}

/// A thread for which no scope lives has no numbers, while other threads' scopes have theirs.
static void spare_other_threads(void) {
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  size_t before = count_of_blocks();
  run_threads(NULL);
  CHECK(count_of_blocks() == before);
  block = malloc(1);
  crebind_counting_scope *inner = begin(CREBIND_COUNTING_PROCESS);
  JOIN(START(allocate, NULL));
  crebind_counting_counts of_inner = end(inner);
  CHECK(of_inner.calls[CREBIND_COUNTING_MALLOC] >= ROUNDS && count_of_blocks() == before + 1);
  free(block);
  crebind_counting_counts counts = end(scope);
  CHECK(counts.calls[CREBIND_COUNTING_FREE] >= 1 && counts.calls[CREBIND_COUNTING_MALLOC] < ROUNDS);
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
  JOIN(START(free_blocks, blocks));
  // The C library keeps the memory of a thread.
  CHECK(reach == CREBIND_COUNTING_PROCESS || crebind_counting_leaked_blocks(scope) == 1);
  free(block);
  crebind_counting_end(scope);
  CHECK(reach == CREBIND_COUNTING_PROCESS || crebind_counting_leaked_blocks(scope) == 0);
  crebind_counting_free(scope);
  free(older);
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
  free(block);
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
  if (child == 0) {
    CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
    free(malloc(1));
    JOIN(START(allocate, NULL));
    crebind_counting_counts counts = end(scope);
    _exit(counts.calls[CREBIND_COUNTING_MALLOC] >= 2 + ROUNDS ? 0 : 1);
  }
  WAIT_FOR(child);
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
  start_counting();
  check_absences();
  count_each_function();
  count_pvalloc();
  count_what_fails();
  count_nested();
  spare_other_threads();
  count_process();
  count_tasks();
  count_memory_of_two_threads();
  free_a_block_of_another_task();
  count_leaks(CREBIND_COUNTING_TASK);
  count_leaks(CREBIND_COUNTING_THREAD);
  count_leaks(CREBIND_COUNTING_PROCESS);
  count_mappings();
  count_after_fork();

  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  crebind_counting_uninstall(CREBIND_COUNTING_MEMORY);
  free(malloc(1));
  crebind_counting_counts counts = end(scope);
  // The slots lead to the counters still, for whoever counts next.
  CHECK(all_calls(&counts) == 0);
  CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
  printf("all calls were counted\n");
  return 0;
}
