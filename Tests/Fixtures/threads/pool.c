/// The core's small requests come zeroed from a static pool, whichever threads take and give back,
/// and from pages once it is used up. A child does without what another thread of its parent holds.
///
/// Usage: pool ROUNDS

#define _GNU_SOURCE
#include "runtime/runtime.h"
#include "steps.h"

enum { MOST = 4096, HELD = 3, THREADS = 4 };

static int rounds;

static bool is_full_of(const char *memory, char byte, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (memory[i] != byte) return false;
  return true;
}

static char *take(size_t size) {
  char *memory = crebind_memory(size);
  CHECK(memory != NULL && is_full_of(memory, 0, size));
  return memory;
}

/// Takes and gives back, several pieces at a time.
static void *work(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  for (int i = 0; i < rounds; i++) {
    char *held[HELD];
    size_t sizes[HELD];
    for (int j = 0; j < HELD; j++) {
      sizes[j] = 1 + (size_t)rand_r(&state) % MOST;
      held[j] = take(sizes[j]);
      memset(held[j], (char)(uintptr_t)seed, sizes[j]);
    }
    for (int j = 0; j < HELD; j++) {
      CHECK(is_full_of(held[j], (char)(uintptr_t)seed, sizes[j]));
      crebind_memory_free(held[j], sizes[j]);
    }
  }
  return NULL;
}

/// Each chunk is there once, and what comes after them is a page. Returns how many there were.
static size_t use_up(void) {
  static char *all[CREBIND_POOL_CHUNKS + 1];
  Dl_info image;
  size_t pooled = 0;
  for (size_t i = 0; i <= CREBIND_POOL_CHUNKS; i++) {
    all[i] = take(1);
    all[i][0] = 1;
    pooled += dladdr(all[i], &image) != 0;
  }
  CHECK(dladdr(all[CREBIND_POOL_CHUNKS], &image) == 0);
  CHECK((uintptr_t)all[CREBIND_POOL_CHUNKS] % crebind_runtime()->page_size == 0);
  for (size_t i = 0; i <= CREBIND_POOL_CHUNKS; i++) crebind_memory_free(all[i], 1);
  return pooled;
}

static void grow(void) {
  struct crebind_vector vector = CREBIND_VECTOR(uint64_t);
  for (uint64_t i = 0; i < 10000; i++) *(uint64_t *)crebind_vector_append(&vector, 1) = i;
  for (uint64_t i = 0; i < 10000; i++) CHECK(*(uint64_t *)crebind_vector_at(&vector, i) == i);
  CHECK(is_full_of(crebind_vector_at(&vector, 10000), 0, (vector.capacity - 10000) * 8));
  crebind_vector_free(&vector);
}

static pthread_barrier_t barrier;
static char *of_other;
static void *hold(void *unused) {
  of_other = take(MOST);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  CHECK(is_full_of(of_other, 0, MOST));
  crebind_memory_free(of_other, MOST);
  return unused;
}

static pid_t (*original)(void);
static int calls;
static pid_t hook(void) {
  calls++;
  return original();
}

/// With nothing left in the pool.
static void rebind(void) {
  for (size_t i = 0; i < CREBIND_POOL_CHUNKS; i++) take(1);
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
  getppid();
  CHECK(calls == 1);
  RESTORE(handle);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  rounds = atoi(argv[1]);
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) threads[i] = START(work, (void *)(i + 1));
  for (size_t i = 0; i < THREADS; i++) JOIN(threads[i]);
  grow();
  CHECK(use_up() == CREBIND_POOL_CHUNKS);

  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t other = START(hold, NULL);
  pthread_barrier_wait(&barrier);
  IN_CHILD {
    CHECK(use_up() == CREBIND_POOL_CHUNKS - MOST / 1024);
    CHECK(is_full_of(of_other, 0, MOST));
    rebind();
  }
  pthread_barrier_wait(&barrier);
  JOIN(other);
  CHECK(use_up() == CREBIND_POOL_CHUNKS);
  rebind();
  printf("every piece was its taker's alone\n");
}
