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

static bool grow(struct crebind_vector *vector, size_t needed) {
  size_t capacity = vector->capacity < needed / 2 ? needed : needed * 2;
  size_t size;
  if (__builtin_mul_overflow(capacity, vector->stride, &size)) return false;
  size = round_up_to_page(size);
  if (size == 0) return false;
  if (vector->data == NULL || vector->is_lent) {
    char *pages = crebind_pages(size);
    if (pages == NULL) return false;
    if (vector->is_lent) memcpy(pages, vector->data, vector->count * vector->stride);
    vector->data = pages;
    vector->is_lent = false;
  } else {
    size_t old = round_up_to_page(vector->capacity * vector->stride);
    order_giving();
    long moved = crebind_system_call(SYS_mremap, vector->data, old, size, MREMAP_MAYMOVE);
    if (crebind_has_failed(moved)) return false;
    crebind_order_taking();
    vector->data = (char *)moved;
  }
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
  if (!vector->is_lent) crebind_pages_free(vector->data, vector->capacity * vector->stride);
  *vector = (struct crebind_vector){NULL, 0, 0, vector->stride, false};
}
