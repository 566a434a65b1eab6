#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static struct crebind_runtime runtime;

static void initialize(void) {
  if (__atomic_load_n(&runtime.page_size, __ATOMIC_ACQUIRE) != 0) return;
  runtime.hwcap.hwcap = getauxval(AT_HWCAP);
  runtime.hwcap.hwcap2 = getauxval(AT_HWCAP2);
  runtime.loader_base = getauxval(AT_BASE);
  runtime.vdso_base = getauxval(AT_SYSINFO_EHDR);
  runtime.program_headers = getauxval(AT_PHDR);
  runtime.is_secure = getauxval(AT_SECURE) != 0;
  size_t page_size = getauxval(AT_PAGESZ);
  __atomic_store_n(&runtime.page_size, page_size != 0 ? page_size : 4096, __ATOMIC_RELEASE);
}

/// Runs before main, and so before anything can be rebound; a copy on the stack
/// of a library loaded later takes what it finds.
__attribute__((constructor(101))) static void start(void) { initialize(); }

const struct crebind_runtime *crebind_runtime(void) {
  // Another image's constructor may call before ours has run.
  initialize();
  return &runtime;
}

// MARK: Order

/// Atomic.
static uint32_t given_back;

/// Before memory is given back; see crebind_order_taking.
static void order_giving(void) { __atomic_fetch_add(&given_back, 1, __ATOMIC_RELEASE); }
void crebind_order_taking(void) { (void)__atomic_load_n(&given_back, __ATOMIC_ACQUIRE); }

void crebind_sleep(long nanoseconds) {
  // The system call's own timespec: the C library's may have 64-bit seconds.
  const long pause[2] = {0, nanoseconds};
  crebind_system_call(SYS_nanosleep, pause);
}

int crebind_thread_number(void) { return (int)crebind_system_call(SYS_gettid); }

// MARK: Memory

#ifdef SYS_mmap2
#define CREBIND_SYS_MMAP SYS_mmap2
#else
#define CREBIND_SYS_MMAP SYS_mmap
#endif

static size_t round_up_to_page(size_t size) {
  size_t mask = crebind_runtime()->page_size - 1;
  return size > SIZE_MAX - mask ? 0 : (size + mask) & ~mask;
}

void *crebind_pages(size_t size) {
  size_t rounded = round_up_to_page(size);
  if (rounded == 0) return NULL;
  const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef __s390x__
  // The kernel takes the address of the arguments there.
  const long arguments[] = {0, (long)rounded, protection, flags, -1, 0};
  long result = crebind_system_call(CREBIND_SYS_MMAP, arguments);
#else
  long result = crebind_system_call(CREBIND_SYS_MMAP, NULL, rounded, protection, flags, -1, 0);
#endif
  crebind_order_taking();
  return crebind_has_failed(result) ? NULL : (void *)result;
}

void crebind_pages_free(void *pages, size_t size) {
  if (pages == NULL) return;
  order_giving();
  crebind_system_call(SYS_munmap, pages, round_up_to_page(size));
}

// MARK: The pool

enum { CHUNK = 1024, CHUNKS_A_WORD = 32, MOST_CHUNKS = 4 };

static _Alignas(CHUNK) char pool[CREBIND_POOL_CHUNKS][CHUNK];
/// A bit for each chunk that is taken. Atomic: threads and signal handlers come at any time, and a
/// forked child never gets back what other threads of its parent had taken.
static uint32_t taken[CREBIND_POOL_CHUNKS / CHUNKS_A_WORD];

static bool is_pooled(const void *memory) {
  return (uintptr_t)memory - (uintptr_t)pool < sizeof pool;
}

static size_t chunks_of(size_t size) { return size / CHUNK + (size % CHUNK != 0); }

static uint32_t bits_of(size_t chunks) { return (1U << chunks) - 1; }

/// Where so many free chunks follow each other: a bit for the first of each such run.
static uint32_t starts_of_runs(uint32_t now, size_t count) {
  uint32_t starts = ~now;
  for (size_t i = 1; i < count; i++) starts &= ~now >> i;
  return starts;
}

/// Zeroed chunks that follow each other, or NULL.
static void *take_chunks(size_t count) {
  for (size_t word = 0; word < sizeof taken / sizeof *taken; word++) {
    uint32_t now = __atomic_load_n(&taken[word], __ATOMIC_RELAXED), starts;
    while ((starts = starts_of_runs(now, count)) != 0) {
      size_t first = 0;
      while ((starts >> first & 1) == 0) first++;
      if (__atomic_compare_exchange_n(&taken[word], &now, now | bits_of(count) << first, false,
                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return memset(pool[word * CHUNKS_A_WORD + first], 0, count * CHUNK);
    }
  }
  return NULL;
}

static void give_chunks(void *memory, size_t count) {
  size_t first = (size_t)((char *)memory - pool[0]) / CHUNK;
  uint32_t bits = bits_of(count) << first % CHUNKS_A_WORD;
  __atomic_fetch_and(&taken[first / CHUNKS_A_WORD], ~bits, __ATOMIC_RELEASE);
}

/// Sets the size to the room that the memory has.
static void *take(size_t *size) {
  size_t chunks = chunks_of(*size);
  void *memory = chunks != 0 && chunks <= MOST_CHUNKS ? take_chunks(chunks) : NULL;
  *size = memory != NULL ? chunks * CHUNK : round_up_to_page(*size);
  return memory != NULL ? memory : crebind_pages(*size);
}

void *crebind_memory(size_t size) { return take(&size); }

void crebind_memory_free(void *memory, size_t size) {
  if (is_pooled(memory))
    give_chunks(memory, chunks_of(size));
  else
    crebind_pages_free(memory, size);
}

// MARK: Vectors

/// Moves the elements into other memory: out of the pool into pages, as what grows goes on growing.
static bool move(struct crebind_vector *vector, size_t *size) {
  bool is_own = vector->data != NULL && !vector->is_lent;
  if (is_own) *size = round_up_to_page(*size);
  char *memory = is_own ? crebind_pages(*size) : take(size);
  if (memory == NULL) return false;
  if (vector->data != NULL) memcpy(memory, vector->data, vector->count * vector->stride);
  if (is_own) give_chunks(vector->data, chunks_of(vector->capacity * vector->stride));
  vector->data = memory;
  vector->is_lent = false;
  return true;
}

static bool remap(struct crebind_vector *vector, size_t *size) {
  size_t former = round_up_to_page(vector->capacity * vector->stride);
  *size = round_up_to_page(*size);
  if (*size == 0) return false;
  order_giving();
  long moved = crebind_system_call(SYS_mremap, vector->data, former, *size, MREMAP_MAYMOVE);
  if (crebind_has_failed(moved)) return false;
  crebind_order_taking();
  vector->data = (char *)moved;
  return true;
}

static bool grow(struct crebind_vector *vector, size_t needed) {
  size_t capacity = vector->capacity < needed / 2 ? needed : needed * 2;
  size_t size;
  if (__builtin_mul_overflow(capacity, vector->stride, &size)) return false;
  bool has_pages = vector->data != NULL && !vector->is_lent && !is_pooled(vector->data);
  if (!(has_pages ? remap(vector, &size) : move(vector, &size))) return false;
  vector->capacity = size / vector->stride;
  return true;
}

void *crebind_vector_append(struct crebind_vector *vector, size_t count) {
  if (count > SIZE_MAX - vector->count) return NULL;
  size_t needed = vector->count + count;
  if (needed > vector->capacity && !grow(vector, needed)) return NULL;
  void *first = crebind_vector_at(vector, vector->count);
  vector->count = needed;
  return first;
}

void crebind_vector_truncate(struct crebind_vector *vector, size_t count) {
  if (count >= vector->count) return;
  memset(crebind_vector_at(vector, count), 0, (vector->count - count) * vector->stride);
  vector->count = count;
}

size_t crebind_vector_append_string(struct crebind_vector *strings, const char *string) {
  size_t offset = strings->count, size = crebind_length(string) + 1;
  char *copy = crebind_vector_append(strings, size);
  if (copy == NULL) return SIZE_MAX;
  memcpy(copy, string, size);
  return offset;
}

void crebind_vector_lend(struct crebind_vector *vector, void *memory, size_t size) {
  *vector = (struct crebind_vector){memory, 0, size / vector->stride, vector->stride, true};
}

void crebind_vector_free(struct crebind_vector *vector) {
  if (!vector->is_lent) crebind_memory_free(vector->data, vector->capacity * vector->stride);
  *vector = (struct crebind_vector){NULL, 0, 0, vector->stride, false};
}
#endif
