/// The counters of malloc and its kind.

#include "original-call.h"
#include "peaks.h"

/// Begins a call. If the call counts, the thread is inside it until `leave`.
static inline original_call enter(crebind_counting_function function, const void *counter,
                            const void *caller) {
  bool counts = crebind_counting_is_on(function) && !crebind_counting_this_thread.is_inside;
  if (counts) crebind_counting_this_thread.is_inside = true;
  return begin_original_call(function, counter, caller, counts);
}

/// Whether the call that has returned counts.
static inline bool leave(const original_call *call) {
  if (call->counts) crebind_counting_this_thread.is_inside = false;
  return end_original_call(call);
}

static inline int64_t size_of(void *block) {
  return block != NULL ? (int64_t)crebind_counting_usable_size(block) : 0;
}

static inline bool has_listeners(void) {
  return atomic_load_explicit(&crebind_counting_listening_scopes, memory_order_relaxed) != 0;
}

__attribute__((always_inline)) static inline void note(crebind_counting_event event) {
  crebind_counting_block *block = crebind_counting_this_thread.block;
  if (__builtin_expect(block == NULL, 0)) block = crebind_counting_claim();
  crebind_counting_sums *sums = &block->sums;
  crebind_counting_add(sums, &event);
  int64_t live = atomic_load_explicit(&sums->live, memory_order_relaxed) + event.live;
  atomic_store_explicit(&sums->live, live, memory_order_relaxed);
  if (live > atomic_load_explicit(&block->peak, memory_order_relaxed))
    atomic_store_explicit(&block->peak, live, memory_order_relaxed);
  if (__builtin_expect(has_listeners(), 0)) {
    // This is a copy, so that the other calls need no event in memory.
    crebind_counting_event copy = event;
    crebind_counting_notify(block, &copy);
  }
}

/// Begins a call that may free a block. False if no scope keeps blocks.
static inline bool begin_move(crebind_counting_move *move, const original_call *call,
                              const void *old, int64_t size) {
  if (__builtin_expect(atomic_load_explicit(&crebind_counting_leaking_scopes, memory_order_relaxed)
                           == 0, 1)
      || !call->counts || old == NULL)
    return false;
  crebind_counting_begin_move(move, old, size);
  return true;
}

/// A call that asked for `bytes` and returned `block`.
__attribute__((always_inline)) static inline void note_allocation(
    crebind_counting_function function, const original_call *call, size_t bytes, void *block) {
  note((crebind_counting_event){.function = function,
                                .marks = block == NULL ? CREBIND_COUNTING_WITHOUT_BLOCK : 0,
                                .bytes = block != NULL ? bytes : 0,
                                .live = size_of(block),
                                .caller = call->caller,
                                .block = block});
}

/// A call that replaces a block by another one.
typedef struct reallocation {
  /// A number, as the block itself is gone then.
  uintptr_t old;
  /// Its size.
  int64_t size;
  bool is_told;
  crebind_counting_move move;
} reallocation;

static inline void begin_reallocation(reallocation *reallocation, const original_call *call,
                                      void *old) {
  reallocation->old = (uintptr_t)old;
  reallocation->size = call->counts ? size_of(old) : 0;
  reallocation->is_told = begin_move(&reallocation->move, call, old, reallocation->size);
}

/// Notes a call that was given a block to replace.
static inline void note_reallocation(crebind_counting_function function, const original_call *call,
                                     size_t bytes, const reallocation *reallocation, void *block) {
  bool counts = leave(call);
  // For 0 bytes, the C library may free the block and return none. Otherwise, if it returns no new
  // block, the old one stays.
  bool replaced = counts && reallocation->old != 0 && (block != NULL || bytes == 0);
  if (__builtin_expect(reallocation->is_told, 0))
    crebind_counting_end_move(&reallocation->move,
                              replaced ? block : (const void *)reallocation->old,
                              replaced ? size_of(block) : reallocation->size);
  if (!counts) return;
  note((crebind_counting_event){.function = function,
                                .marks = (block == NULL ? CREBIND_COUNTING_WITHOUT_BLOCK : 0)
                                         | (replaced ? CREBIND_COUNTING_REPLACED : 0),
                                .bytes = block != NULL ? bytes : 0,
                                .live = size_of(block) - (replaced ? reallocation->size : 0),
                                .caller = call->caller,
                                .block = block});
}

/// The product of a count and a size; SIZE_MAX, which no allocator can give, where it is too large.
static inline size_t product(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_malloc(size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_MALLOC, (const void *)crebind_counter_malloc, CALLER);
  void *block = ORIGINAL(call, void *, size_t)(size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_MALLOC, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_calloc(size_t count, size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_CALLOC, (const void *)crebind_counter_calloc, CALLER);
  void *block = ORIGINAL(call, void *, size_t, size_t)(count, size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_CALLOC, &call, product(count, size), block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_realloc(void *old, size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_REALLOC, (const void *)crebind_counter_realloc, CALLER);
  reallocation reallocation;
  begin_reallocation(&reallocation, &call, old);
  void *block = ORIGINAL(call, void *, void *, size_t)(old, size);
  note_reallocation(CREBIND_COUNTING_REALLOC, &call, size, &reallocation, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_reallocarray(void *old, size_t count, size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_REALLOCARRAY, (const void *)crebind_counter_reallocarray, CALLER);
  reallocation reallocation;
  begin_reallocation(&reallocation, &call, old);
  void *block = ORIGINAL(call, void *, void *, size_t, size_t)(old, count, size);
  note_reallocation(CREBIND_COUNTING_REALLOCARRAY, &call, product(count, size), &reallocation,
                    block);
  return block;
}

CREBIND_COUNTING_COUNTER int crebind_counter_posix_memalign(void **block, size_t alignment, size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_POSIX_MEMALIGN, (const void *)crebind_counter_posix_memalign, CALLER);
  int error = ORIGINAL(call, int, void **, size_t, size_t)(block, alignment, size);
  // On failure `*block` may be anything.
  if (leave(&call))
    note_allocation(CREBIND_COUNTING_POSIX_MEMALIGN, &call, size, error == 0 ? *block : NULL);
  return error;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_aligned_alloc(size_t alignment, size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_ALIGNED_ALLOC, (const void *)crebind_counter_aligned_alloc, CALLER);
  void *block = ORIGINAL(call, void *, size_t, size_t)(alignment, size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_ALIGNED_ALLOC, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_memalign(size_t alignment, size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_MEMALIGN, (const void *)crebind_counter_memalign, CALLER);
  void *block = ORIGINAL(call, void *, size_t, size_t)(alignment, size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_MEMALIGN, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_valloc(size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_VALLOC, (const void *)crebind_counter_valloc, CALLER);
  void *block = ORIGINAL(call, void *, size_t)(size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_VALLOC, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_pvalloc(size_t size) {
  original_call call =
      enter(CREBIND_COUNTING_PVALLOC, (const void *)crebind_counter_pvalloc, CALLER);
  void *block = ORIGINAL(call, void *, size_t)(size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_PVALLOC, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void crebind_counter_free(void *block) {
  original_call call =
      enter(CREBIND_COUNTING_FREE, (const void *)crebind_counter_free, CALLER);
  bool counts = call.counts && block != NULL;
  int64_t size = counts ? size_of(block) : 0;
  crebind_counting_move move;
  bool is_told = begin_move(&move, &call, block, size);
  // A number, as the block itself is gone then.
  uintptr_t address = (uintptr_t)block;
  ORIGINAL(call, void, void *)(block);
  bool has_freed = leave(&call);
  if (__builtin_expect(is_told, 0))
    crebind_counting_end_move(&move, has_freed ? NULL : (const void *)address, size);
  if (has_freed && address != 0)
    note((crebind_counting_event){.function = CREBIND_COUNTING_FREE,
                                  .live = -size,
                                  .caller = call.caller});
}
