/// A library for LD_PRELOAD that counts a thread's calls as `CRebindCounting` does, to be compared with
/// it. Built the usual way: it defines the functions, and goes on to the next ones.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MALLOC, CALLOC, REALLOC, POSIX_MEMALIGN, ALIGNED_ALLOC, FREE, RETAIN, RELEASE, ALLOC_OBJECT,
       BEGIN_ACCESS, MMAP, MUNMAP, BYTES, LIVE, PEAK, COUNT };

typedef struct thread {
  uint64_t counts[COUNT];
  bool is_inside;
} thread;

static __thread thread this_thread __attribute__((tls_model("initial-exec")));

/// For the program, by dlsym: this thread's counts, in the order above.
void witness_counts(uint64_t *copy) {
  for (int i = 0; i < COUNT; i++) copy[i] = this_thread.counts[i];
}

static void *(*next_malloc)(size_t), *(*next_calloc)(size_t, size_t), *(*next_realloc)(void *, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void (*next_free)(void *);
static size_t (*next_usable_size)(void *);
static void *(*next_retain)(void *), *(*next_release)(void *);
static void *(*next_alloc_object)(void *, size_t, size_t);
static void (*next_begin_access)(void *, void *, uintptr_t, void *);
static void *(*next_mmap)(void *, size_t, int, int, int, long);
static int (*next_munmap)(void *, size_t);

static void find(void) {
  next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
  next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
  next_usable_size = (size_t (*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size");
  next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  next_aligned_alloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
  next_posix_memalign = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
  next_retain = (void *(*)(void *))dlsym(RTLD_NEXT, "swift_retain");
  next_release = (void *(*)(void *))dlsym(RTLD_NEXT, "swift_release");
  next_alloc_object = (void *(*)(void *, size_t, size_t))dlsym(RTLD_NEXT, "swift_allocObject");
  next_begin_access =
      (void (*)(void *, void *, uintptr_t, void *))dlsym(RTLD_NEXT, "swift_beginAccess");
  next_mmap = (void *(*)(void *, size_t, int, int, int, long))dlsym(RTLD_NEXT, "mmap");
  next_munmap = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
  next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
}

/// Whether the next functions are known. False for what dlsym itself asks for.
static bool is_ready(void) {
  static bool is_finding;
  if (next_malloc == NULL && !is_finding) {
    is_finding = true;
    find();
    is_finding = false;
  }
  return next_malloc != NULL;
}

/// Blocks for those that ask before the next functions are known.
static _Alignas(16) char early_blocks[1 << 18];

static void *early(size_t size) {
  static size_t used;
  char *block = early_blocks + used;
  used += (size + 15) & ~(size_t)15;
  return block;
}

static bool is_early(const void *block) {
  return (const char *)block >= early_blocks && (const char *)block < early_blocks + sizeof early_blocks;
}

static bool enter(void) {
  if (this_thread.is_inside) return false;
  this_thread.is_inside = true;
  return true;
}

static void leave(int function, size_t bytes, int64_t live) {
  thread *thread = &this_thread;
  thread->is_inside = false;
  thread->counts[function]++;
  thread->counts[BYTES] += bytes;
  thread->counts[LIVE] += (uint64_t)live;
  if ((int64_t)thread->counts[LIVE] > (int64_t)thread->counts[PEAK])
    thread->counts[PEAK] = thread->counts[LIVE];
}

/// Without it the sizes would not be known to be those of this library's blocks.
size_t malloc_usable_size(void *block) {
  return next_usable_size(block);
}

static int64_t size_of(void *block) {
  return block != NULL && !is_early(block) ? (int64_t)next_usable_size(block) : 0;
}

void *malloc(size_t size) {
  if (!is_ready()) return early(size);
  bool counts = enter();
  void *block = next_malloc(size);
  if (counts) leave(MALLOC, size, size_of(block));
  return block;
}

void *calloc(size_t count, size_t size) {
  if (!is_ready()) return early(count * size);
  bool counts = enter();
  void *block = next_calloc(count, size);
  if (counts) leave(CALLOC, count * size, size_of(block));
  return block;
}

void *realloc(void *old, size_t size) {
  if (!is_ready() || is_early(old)) {
    char *block = malloc(size);
    // It is no matter that more is copied than the old one had.
    for (size_t i = 0; old != NULL && i < size; i++) block[i] = ((char *)old)[i];
    return block;
  }
  bool counts = enter();
  int64_t old_size = size_of(old);
  void *block = next_realloc(old, size);
  if (counts) leave(REALLOC, size, size_of(block) - old_size);
  return block;
}

void *aligned_alloc(size_t alignment, size_t size) {
  is_ready();
  bool counts = enter();
  void *block = next_aligned_alloc(alignment, size);
  if (counts) leave(ALIGNED_ALLOC, size, size_of(block));
  return block;
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  is_ready();
  bool counts = enter();
  int error = next_posix_memalign(block, alignment, size);
  if (counts) leave(POSIX_MEMALIGN, size, error == 0 ? size_of(*block) : 0);
  return error;
}

void free(void *block) {
  if (block == NULL || is_early(block) || !is_ready()) return;
  bool counts = enter();
  int64_t size = size_of(block);
  next_free(block);
  if (counts) leave(FREE, 0, -size);
}

void *swift_retain(void *object) {
  is_ready();
  this_thread.counts[RETAIN]++;
  return next_retain(object);
}

void *swift_release(void *object) {
  is_ready();
  this_thread.counts[RELEASE]++;
  return next_release(object);
}

void *swift_allocObject(void *metadata, size_t size, size_t alignment_mask) {
  is_ready();
  this_thread.counts[ALLOC_OBJECT]++;
  return next_alloc_object(metadata, size, alignment_mask);
}

void swift_beginAccess(void *pointer, void *buffer, uintptr_t flags, void *caller) {
  is_ready();
  this_thread.counts[BEGIN_ACCESS]++;
  next_begin_access(pointer, buffer, flags, caller);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, long offset) {
  is_ready();
  this_thread.counts[MMAP]++;
  return next_mmap(address, length, protection, flags, file, offset);
}

int munmap(void *address, size_t length) {
  is_ready();
  this_thread.counts[MUNMAP]++;
  return next_munmap(address, length);
}
