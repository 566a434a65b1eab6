/// The counters of malloc and its kind.

#if defined(__linux__)
#include "images.h"
#include "original-call.h"
#include "peaks.h"
#include "task-scope.h"

static inline int64_t size_of(void *block) {
  return block != NULL ? (int64_t)crebind_counting_usable_size(block) : 0;
}

static inline bool has_listeners(void) {
  return atomic_load_explicit(&crebind_counting_listening_scopes, memory_order_relaxed) != 0;
}

/// A call that asked for `bytes` and returned `block`.
__attribute__((always_inline)) static inline crebind_counting_event allocation(
    crebind_counting_function function, size_t bytes, void *block, const void *caller) {
  return (crebind_counting_event){.function = function,
                                  .marks = block == NULL ? CREBIND_COUNTING_WITHOUT_BLOCK : 0,
                                  .bytes = block != NULL ? bytes : 0,
                                  .live = size_of(block),
                                  .caller = caller,
                                  .block = block};
}

// MARK: - Frequent calls

/// Whose a call is, by as few looks as will do. The most frequent functions ask this first.
typedef enum kind {
  /// No scope needs it: the original is all.
  SPARED,
  /// It goes into the thread's numbers, and scopes may listen to it.
  OF_THREAD,
  /// Only scopes of its task may need it. They are looked up.
  OF_TASK,
  /// Hooks have a part, or scopes that keep blocks beside others.
  OTHER,
} kind;

static inline kind kind_of(crebind_counting_function function) {
  if (atomic_load_explicit(&crebind_reach_hooks, memory_order_relaxed) != 0) return OTHER;
  if (crebind_reach_this_thread.suppressed != 0 || crebind_counting_this_thread.is_inside
      || !atomic_load_explicit(&crebind_counting_is_counted[function], memory_order_relaxed))
    return SPARED;
  if (crebind_counting_needs_thread()) return OF_THREAD;
  return has_listeners() ? OF_TASK : SPARED;
}

/// Adds a call to the thread's numbers, and notifies scopes that listen.
__attribute__((always_inline)) static inline void add(crebind_counting_event event) {
  crebind_counting_block *block = crebind_counting_own_block();
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

// MARK: - Other calls

/// A call of malloc's kind.
typedef struct memory_call {
  original_call call;
  /// If only tasks are counted, and the call counts: the youngest scope of its task.
  crebind_counting_scope *task;
  /// It may free a block that a scope keeps, whether it counts or not.
  bool may_free;
} memory_call;

/// Begins a call. If the call counts, the thread is inside it until `leave`.
static inline memory_call enter(crebind_counting_function function, const void *counter,
                                const void *caller) {
  bool counts = crebind_counting_is_on(function) && !crebind_counting_this_thread.is_inside;
  memory_call call = {.call = begin_original_call(function, counter, caller, counts),
                      .may_free = counts};
  // A call that no scope needs is spared the rest. Where hooks may answer it, that is not known yet.
  if (counts && !crebind_counting_needs_thread() && !call.call.has_hooks) {
    call.task = crebind_counting_task_scope();
    call.call.counts = call.task != NULL;
  }
  if (call.call.counts) crebind_counting_this_thread.is_inside = true;
  return call;
}

/// Whether the call goes on to the original, and nothing has to be done afterwards.
static inline bool is_spared(const memory_call *call) {
  return !call->call.counts && !call->call.has_hooks;
}

/// Whether the call that has returned counts.
static inline bool leave(const memory_call *call) {
  if (call->call.counts) crebind_counting_this_thread.is_inside = false;
  return end_original_call(&call->call);
}

__attribute__((always_inline)) static inline void note(const memory_call *call,
                                                        crebind_counting_event event) {
  if (call->task != NULL) {
    crebind_counting_event copy = event;
    crebind_counting_notify_task(call->task, &copy);
    return;
  }
  add(event);
}

/// Whether scopes keep blocks.
static inline bool keeps_blocks(void) {
  return atomic_load_explicit(&crebind_counting_leaking_scopes, memory_order_relaxed) != 0;
}

/// Begins a call that may free a block. False if no scope keeps the block.
static inline bool begin_move(crebind_counting_move *move, const memory_call *call,
                              const void *old) {
  return __builtin_expect(keeps_blocks(), 0) && call->may_free && old != NULL
         && crebind_counting_begin_move(move, old);
}

__attribute__((always_inline)) static inline void note_allocation(
    crebind_counting_function function, const memory_call *call, size_t bytes, void *block) {
  note(call, allocation(function, bytes, block, call->call.caller));
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

static inline void begin_reallocation(reallocation *reallocation, const memory_call *call,
                                      void *old) {
  reallocation->old = (uintptr_t)old;
  reallocation->size = call->call.counts ? size_of(old) : 0;
  reallocation->is_told = begin_move(&reallocation->move, call, old);
}

/// Notes a call that was given a block to replace.
static inline void note_reallocation(crebind_counting_function function, const memory_call *call,
                                     size_t bytes, const reallocation *reallocation, void *block) {
  bool counts = leave(call);
  // A call that does not count has replaced the block, too, unless a hook has answered it.
  bool is_done = counts || !call->call.has_hooks;
  // For 0 bytes, the C library may free the block and return none. Otherwise, if it returns no new
  // block, the old one stays.
  bool replaced = is_done && reallocation->old != 0 && (block != NULL || bytes == 0);
  if (__builtin_expect(reallocation->is_told, 0))
    crebind_counting_end_move(&reallocation->move,
                              replaced ? block : (const void *)reallocation->old,
                              replaced ? size_of(block) : reallocation->move.size);
  if (!counts) return;
  note(call, (crebind_counting_event){.function = function,
                                .marks = (block == NULL ? CREBIND_COUNTING_WITHOUT_BLOCK : 0)
                                         | (replaced ? CREBIND_COUNTING_REPLACED : 0),
                                .bytes = block != NULL ? bytes : 0,
                                .live = size_of(block) - (replaced ? reallocation->size : 0),
                                .caller = call->call.caller,
                                .block = block});
}

/// The product of a count and a size; SIZE_MAX, which no allocator can give, where it is too large.
static inline size_t product(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

/// Counts a frequent call that has returned, for its task. Most tasks have one scope, which watches nothing.
__attribute__((always_inline)) static inline void allocate_in_task(
    crebind_counting_scope *scope, crebind_counting_event event) {
  crebind_counting_lane *lane = crebind_counting_simple_lane(scope);
  if (__builtin_expect(lane == NULL || event.block == NULL, 0)) {
    crebind_counting_event copy = event;
    crebind_counting_notify_task(scope, &copy);
    return;
  }
  crebind_counting_add(&lane->sums, &event);
  if (__builtin_expect(crebind_counting_is_of_tasks(event.caller), 0)) scope->has_tasks = true;
  else crebind_counting_keep(scope, lane, event.block, event.live);
}

CREBIND_COUNTING_COUNTER void *crebind_counter_malloc(size_t size);
CREBIND_COUNTING_COUNTER void *crebind_counter_calloc(size_t count, size_t size);
CREBIND_COUNTING_COUNTER void crebind_counter_free(void *block);

/// The rest of a counter, with its caller. The counter itself keeps no registers, and goes on to one of these.
#define REST CREBIND_REACH_LEFT_OUT __attribute__((noinline)) static

typedef void *malloc_function(size_t);

REST void *other_malloc(size_t size, const void *caller) {
  memory_call call =
      enter(CREBIND_COUNTING_MALLOC, (const void *)crebind_counter_malloc, caller);
  void *block = ((malloc_function *)call.call.original)(size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_MALLOC, &call, size, block);
  return block;
}

static inline void *original_malloc(size_t size) {
  return ((malloc_function *)crebind_counting_originals[CREBIND_COUNTING_MALLOC])(size);
}

/// malloc, while the calls that it makes are not counted.
static inline void *inside_malloc(size_t size) {
  crebind_counting_this_thread.is_inside = true;
  void *block = original_malloc(size);
  crebind_counting_this_thread.is_inside = false;
  return block;
}

REST void *task_malloc(size_t size, const void *caller) {
  crebind_counting_scope *task = crebind_counting_task_scope();
  if (task == NULL) return original_malloc(size);
  void *block = inside_malloc(size);
  allocate_in_task(task, allocation(CREBIND_COUNTING_MALLOC, size, block, caller));
  return block;
}

REST void *thread_malloc(size_t size, const void *caller) {
  void *block = inside_malloc(size);
  add(allocation(CREBIND_COUNTING_MALLOC, size, block, caller));
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_malloc(size_t size) {
  switch (kind_of(CREBIND_COUNTING_MALLOC)) {
  case SPARED: return original_malloc(size);
  case OF_THREAD: return thread_malloc(size, CALLER);
  case OF_TASK: return task_malloc(size, CALLER);
  default: return other_malloc(size, CALLER);
  }
}

typedef void *calloc_function(size_t, size_t);

REST void *other_calloc(size_t count, size_t size, const void *caller) {
  memory_call call =
      enter(CREBIND_COUNTING_CALLOC, (const void *)crebind_counter_calloc, caller);
  void *block = ((calloc_function *)call.call.original)(count, size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_CALLOC, &call, product(count, size), block);
  return block;
}

static inline void *original_calloc(size_t count, size_t size) {
  return ((calloc_function *)crebind_counting_originals[CREBIND_COUNTING_CALLOC])(count, size);
}

static inline void *inside_calloc(size_t count, size_t size) {
  crebind_counting_this_thread.is_inside = true;
  void *block = original_calloc(count, size);
  crebind_counting_this_thread.is_inside = false;
  return block;
}

REST void *task_calloc(size_t count, size_t size, const void *caller) {
  crebind_counting_scope *task = crebind_counting_task_scope();
  if (task == NULL) return original_calloc(count, size);
  void *block = inside_calloc(count, size);
  allocate_in_task(task, allocation(CREBIND_COUNTING_CALLOC, product(count, size), block, caller));
  return block;
}

REST void *thread_calloc(size_t count, size_t size, const void *caller) {
  void *block = inside_calloc(count, size);
  add(allocation(CREBIND_COUNTING_CALLOC, product(count, size), block, caller));
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_calloc(size_t count, size_t size) {
  switch (kind_of(CREBIND_COUNTING_CALLOC)) {
  case SPARED: return original_calloc(count, size);
  case OF_THREAD: return thread_calloc(count, size, CALLER);
  case OF_TASK: return task_calloc(count, size, CALLER);
  default: return other_calloc(count, size, CALLER);
  }
}

CREBIND_COUNTING_COUNTER void *crebind_counter_realloc(void *old, size_t size) {
  memory_call call =
      enter(CREBIND_COUNTING_REALLOC, (const void *)crebind_counter_realloc, CALLER);
  reallocation reallocation;
  begin_reallocation(&reallocation, &call, old);
  void *block = ORIGINAL(call.call, void *, void *, size_t)(old, size);
  note_reallocation(CREBIND_COUNTING_REALLOC, &call, size, &reallocation, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_reallocarray(void *old, size_t count, size_t size) {
  memory_call call =
      enter(CREBIND_COUNTING_REALLOCARRAY, (const void *)crebind_counter_reallocarray, CALLER);
  reallocation reallocation;
  begin_reallocation(&reallocation, &call, old);
  void *block = ORIGINAL(call.call, void *, void *, size_t, size_t)(old, count, size);
  note_reallocation(CREBIND_COUNTING_REALLOCARRAY, &call, product(count, size), &reallocation,
                    block);
  return block;
}

CREBIND_COUNTING_COUNTER int crebind_counter_posix_memalign(void **block, size_t alignment, size_t size) {
  memory_call call =
      enter(CREBIND_COUNTING_POSIX_MEMALIGN, (const void *)crebind_counter_posix_memalign, CALLER);
  int error = ORIGINAL(call.call, int, void **, size_t, size_t)(block, alignment, size);
  // On failure `*block` may be anything.
  if (leave(&call))
    note_allocation(CREBIND_COUNTING_POSIX_MEMALIGN, &call, size, error == 0 ? *block : NULL);
  return error;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_aligned_alloc(size_t alignment, size_t size) {
  memory_call call =
      enter(CREBIND_COUNTING_ALIGNED_ALLOC, (const void *)crebind_counter_aligned_alloc, CALLER);
  void *block = ORIGINAL(call.call, void *, size_t, size_t)(alignment, size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_ALIGNED_ALLOC, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_memalign(size_t alignment, size_t size) {
  memory_call call =
      enter(CREBIND_COUNTING_MEMALIGN, (const void *)crebind_counter_memalign, CALLER);
  void *block = ORIGINAL(call.call, void *, size_t, size_t)(alignment, size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_MEMALIGN, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_valloc(size_t size) {
  memory_call call =
      enter(CREBIND_COUNTING_VALLOC, (const void *)crebind_counter_valloc, CALLER);
  if (is_spared(&call)) return ORIGINAL(call.call, void *, size_t)(size);
  void *block = ORIGINAL(call.call, void *, size_t)(size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_VALLOC, &call, size, block);
  return block;
}

CREBIND_COUNTING_COUNTER void *crebind_counter_pvalloc(size_t size) {
  memory_call call =
      enter(CREBIND_COUNTING_PVALLOC, (const void *)crebind_counter_pvalloc, CALLER);
  if (is_spared(&call)) return ORIGINAL(call.call, void *, size_t)(size);
  void *block = ORIGINAL(call.call, void *, size_t)(size);
  if (leave(&call)) note_allocation(CREBIND_COUNTING_PVALLOC, &call, size, block);
  return block;
}

typedef void free_function(void *);

REST void other_free(void *block, const void *caller) {
  memory_call call =
      enter(CREBIND_COUNTING_FREE, (const void *)crebind_counter_free, caller);
  crebind_counting_move move;
  bool is_told = begin_move(&move, &call, block);
  int64_t size = is_told ? move.size : call.call.counts ? size_of(block) : 0;
  if (is_told && !call.call.has_hooks) {
    // Nobody can answer the call in place of the original, so the block is as good as gone.
    crebind_counting_end_move(&move, NULL, 0);
    is_told = false;
  }
  if (is_spared(&call)) {
    ORIGINAL(call.call, void, void *)(block);
    return;
  }
  // A number, as the block itself is gone then.
  uintptr_t address = (uintptr_t)block;
  ORIGINAL(call.call, void, void *)(block);
  bool has_freed = leave(&call);
  if (__builtin_expect(is_told, 0))
    crebind_counting_end_move(&move, has_freed ? NULL : (const void *)address, move.size);
  if (has_freed && address != 0)
    note(&call, (crebind_counting_event){.function = CREBIND_COUNTING_FREE,
                                         .live = -size,
                                         .caller = call.call.caller});
}

static inline void original_free(void *block) {
  ((free_function *)crebind_counting_originals[CREBIND_COUNTING_FREE])(block);
}

static inline void inside_free(void *block) {
  crebind_counting_this_thread.is_inside = true;
  original_free(block);
  crebind_counting_this_thread.is_inside = false;
}

REST void task_free(void *block, const void *caller) {
  // Before the task's scope is found. That scope began earlier and keeps blocks for as long as it is found, so that a
  // count of one is this scope's. Whoever has handed over a block of another scope has begun that scope, too.
  uint32_t count = atomic_load_explicit(&crebind_counting_leaking_scopes, memory_order_acquire);
  crebind_counting_scope *task = crebind_counting_task_scope();
  crebind_counting_lane *lane = task != NULL ? crebind_counting_simple_lane(task) : NULL;
  // The block is taken before the call, as another thread may be given it at once. It may be one of another task.
  if (count == 1 && lane != NULL) crebind_counting_take_from(task, lane, block);
  else if (count != 0) crebind_counting_take(block);
  if (task == NULL) {
    original_free(block);
    return;
  }
  int64_t size = lane == NULL ? size_of(block) : 0;
  inside_free(block);
  if (__builtin_expect(lane != NULL, 1)) CREBIND_COUNTING_ADD(&lane->sums.calls[CREBIND_COUNTING_FREE], 1);
  else
    crebind_counting_notify_task(
        task, &(crebind_counting_event){
                  .function = CREBIND_COUNTING_FREE, .live = -size, .caller = caller});
}

REST void thread_free(void *block, const void *caller) {
  int64_t size = size_of(block);
  inside_free(block);
  add((crebind_counting_event){
      .function = CREBIND_COUNTING_FREE, .live = -size, .caller = caller});
}

CREBIND_COUNTING_COUNTER void crebind_counter_free(void *block) {
  kind kind = kind_of(CREBIND_COUNTING_FREE);
  if (kind == OTHER || (kind == OF_THREAD && __builtin_expect(keeps_blocks(), 0))) {
    other_free(block, CALLER);
    return;
  }
  // A call for no block does not count.
  if (kind == SPARED || block == NULL)
    original_free(block);
  else if (kind == OF_TASK) task_free(block, CALLER);
  else thread_free(block, CALLER);
}
#endif
