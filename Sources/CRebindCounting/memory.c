/// The counters of malloc and its kind.

#include "functions.h"

/// The code that called a counter.
#define CALLER __builtin_return_address(0)

/// Whether to count a call. If so the thread is inside of it until `leave`.
static inline bool enter(const void *caller) {
  if (!crebind_counting_is_on() || crebind_counting_this_thread.is_inside) return false;
  crebind_counting_this_thread.is_inside = true;
  crebind_reach_this_thread.caller = caller;
  return true;
}

static inline int64_t size_of(void *block) {
  return block != NULL && crebind_counting_usable_size != NULL
             ? (int64_t)crebind_counting_usable_size(block)
             : 0;
}

static inline void leave(crebind_counting_event event) {
  crebind_counting_this_thread.is_inside = false;
  crebind_reach_this_thread.caller = NULL;
  crebind_counting_block *block = crebind_counting_this_thread.block;
  if (__builtin_expect(block == NULL, 0)) block = crebind_counting_claim();
  crebind_counting_tally *tally = &block->tally;
  CREBIND_COUNTING_ADD(&tally->calls[event.function], 1);
  if (event.bytes != 0) CREBIND_COUNTING_ADD(&tally->bytes, event.bytes);
  if (__builtin_expect(event.without_block, 0)) CREBIND_COUNTING_ADD(&tally->without_block, 1);
  if (event.replaced) CREBIND_COUNTING_ADD(&tally->replaced, 1);
  int64_t live = atomic_load_explicit(&tally->live, memory_order_relaxed) + event.live;
  atomic_store_explicit(&tally->live, live, memory_order_relaxed);
  if (live > atomic_load_explicit(&block->peak, memory_order_relaxed))
    atomic_store_explicit(&block->peak, live, memory_order_relaxed);
  if (atomic_load_explicit(&crebind_counting_task_scopes, memory_order_relaxed) != 0)
    crebind_counting_note_in_task(block, &event);
  if (atomic_load_explicit(&crebind_counting_peak_scopes, memory_order_relaxed) != 0)
    crebind_counting_note_peak(event.live);
}

/// A call that asked for `bytes` and returned `block`.
static inline void leave_allocation(crebind_counting_function function, size_t bytes,
                                    void *block, const void *caller) {
  leave((crebind_counting_event){.function = function,
                                 .without_block = block == NULL,
                                 .bytes = block != NULL ? bytes : 0,
                                 .live = size_of(block),
                                 .caller = caller});
}

/// The same for one that was given the block `old`, which had `size` bytes.
static inline void leave_reallocation(crebind_counting_function function, size_t bytes, bool had_block,
                                      int64_t size, void *block, const void *caller) {
  // Of 0 bytes the C library may free the block and return none; else without a new one the old
  // one stays.
  bool replaced = had_block && (block != NULL || bytes == 0);
  leave((crebind_counting_event){.function = function,
                                 .without_block = block == NULL,
                                 .replaced = replaced,
                                 .bytes = block != NULL ? bytes : 0,
                                 .live = size_of(block) - (replaced ? size : 0),
                                 .caller = caller});
}

/// The product of a count and a size; SIZE_MAX, which no allocator can give, where it is too large.
static inline size_t product(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

#define ORIGINAL(function, result, ...) \
  ((result(*)(__VA_ARGS__))crebind_counting_originals[CREBIND_COUNTING_##function])

void *crebind_counting_malloc(size_t size) {
  bool counts = enter(CALLER);
  void *block = ORIGINAL(MALLOC, void *, size_t)(size);
  if (counts) leave_allocation(CREBIND_COUNTING_MALLOC, size, block, CALLER);
  return block;
}

void *crebind_counting_calloc(size_t count, size_t size) {
  bool counts = enter(CALLER);
  void *block = ORIGINAL(CALLOC, void *, size_t, size_t)(count, size);
  if (counts) leave_allocation(CREBIND_COUNTING_CALLOC, product(count, size), block, CALLER);
  return block;
}

void *crebind_counting_realloc(void *old, size_t size) {
  bool counts = enter(CALLER), had_block = old != NULL;
  int64_t old_size = counts ? size_of(old) : 0;
  void *block = ORIGINAL(REALLOC, void *, void *, size_t)(old, size);
  if (counts) leave_reallocation(CREBIND_COUNTING_REALLOC, size, had_block, old_size, block, CALLER);
  return block;
}

void *crebind_counting_reallocarray(void *old, size_t count, size_t size) {
  bool counts = enter(CALLER), had_block = old != NULL;
  int64_t old_size = counts ? size_of(old) : 0;
  void *block = ORIGINAL(REALLOCARRAY, void *, void *, size_t, size_t)(old, count, size);
  if (counts)
    leave_reallocation(CREBIND_COUNTING_REALLOCARRAY, product(count, size), had_block, old_size,
                       block, CALLER);
  return block;
}

int crebind_counting_posix_memalign(void **block, size_t alignment, size_t size) {
  bool counts = enter(CALLER);
  int error = ORIGINAL(POSIX_MEMALIGN, int, void **, size_t, size_t)(block, alignment, size);
  // On failure `*block` may be anything.
  if (counts)
    leave_allocation(CREBIND_COUNTING_POSIX_MEMALIGN, size, error == 0 ? *block : NULL, CALLER);
  return error;
}

void *crebind_counting_aligned_alloc(size_t alignment, size_t size) {
  bool counts = enter(CALLER);
  void *block = ORIGINAL(ALIGNED_ALLOC, void *, size_t, size_t)(alignment, size);
  if (counts) leave_allocation(CREBIND_COUNTING_ALIGNED_ALLOC, size, block, CALLER);
  return block;
}

void *crebind_counting_memalign(size_t alignment, size_t size) {
  bool counts = enter(CALLER);
  void *block = ORIGINAL(MEMALIGN, void *, size_t, size_t)(alignment, size);
  if (counts) leave_allocation(CREBIND_COUNTING_MEMALIGN, size, block, CALLER);
  return block;
}

void *crebind_counting_valloc(size_t size) {
  bool counts = enter(CALLER);
  void *block = ORIGINAL(VALLOC, void *, size_t)(size);
  if (counts) leave_allocation(CREBIND_COUNTING_VALLOC, size, block, CALLER);
  return block;
}

void crebind_counting_free_block(void *block) {
  bool counts = block != NULL && enter(CALLER);
  int64_t size = counts ? size_of(block) : 0;
  ORIGINAL(FREE, void, void *)(block);
  if (counts) leave((crebind_counting_event){
        .function = CREBIND_COUNTING_FREE, .live = -size, .caller = CALLER});
}
