/// The numbers that counters write.

#if defined(__linux__) && !defined(CREBIND_COUNTING_THREAD_COUNTS_H)
#define CREBIND_COUNTING_THREAD_COUNTS_H

#include "CRebindCounting.h"
#include "CRebindReach.h"
#include "CRebindSites.h"

#include <stdatomic.h>

#define CREBIND_COUNTING_HIDDEN __attribute__((visibility("hidden")))

/// Marks a counter. The one of an object's allocation is below the one of its memory.
#define CREBIND_COUNTING_COUNTER CREBIND_REACH_LEFT_OUT CREBIND_COUNTING_HIDDEN

/// One writer's numbers: a thread's, or those of a thread in a task's scope.
typedef struct crebind_counting_sums {
  _Atomic uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT];
  _Atomic uint64_t without_block, replaced, bytes, without_mapping, mapped_bytes;
  _Atomic int64_t live;
} crebind_counting_sums;

/// The counts of a thread since it was new. Only the thread writes, so that an addition need not be
/// atomic.
typedef struct crebind_counting_block {
  crebind_reach_block head;
  /// Tells threads apart that live at the same time; from 1.
  uint32_t number;
  /// How many calls of the thread are reading lists of scopes: more than one if a signal handler interrupts one.
  _Atomic uint32_t reading;
  /// How often `reading` has become 0 again.
  _Atomic uint32_t readings;
  /// The `readings` that a wait has found, and whether it still waits for the thread. Guarded by the lock.
  uint32_t awaited;
  bool is_awaited;
  /// The greatest `sums.live` since the thread's youngest scope began.
  _Atomic int64_t peak;
  crebind_counting_sums sums;
} crebind_counting_block;

typedef struct crebind_counting_thread {
  crebind_counting_block *block;
  /// The thread's scopes that have not ended.
  uint32_t scopes;
  /// A counter of malloc's kind is waiting for the original. Calls of malloc's kind that the
  /// original makes are not counted.
  bool is_inside;
  /// The thread's calls among the `reading` of the shared block.
  uint32_t shared_readings;
  /// The thread's scopes that are notified of its calls, the youngest first.
  crebind_counting_scope *notified;
} crebind_counting_thread;

/// In the static TLS block, because the first access to dynamic TLS allocates.
extern CREBIND_COUNTING_HIDDEN __thread crebind_counting_thread crebind_counting_this_thread
    __attribute__((tls_model("initial-exec")));

/// The blocks of all threads.
extern CREBIND_COUNTING_HIDDEN crebind_reach_blocks crebind_counting_blocks;

/// Marks that few calls have.
enum {
  /// malloc or its kind has returned no block.
  CREBIND_COUNTING_WITHOUT_BLOCK = 1,
  /// The block that realloc was given is freed, or grown in place.
  CREBIND_COUNTING_REPLACED = 2,
  /// mmap has mapped nothing.
  CREBIND_COUNTING_WITHOUT_MAPPING = 4,
  /// The bytes are those of a mapping.
  CREBIND_COUNTING_MAPPED = 8,
};

/// A call that a counter has seen.
typedef struct crebind_counting_event {
  crebind_counting_function function;
  uint32_t marks;
  /// The bytes that the call asked for.
  uint64_t bytes;
  int64_t live;
  /// The return address.
  const void *caller;
  /// The block that the call returned.
  const void *block;
} crebind_counting_event;

/// The block of all threads for which memory has run out. Its numbers are too small, and no sum has them.
extern CREBIND_COUNTING_HIDDEN crebind_counting_block crebind_counting_shared_block;

/// Gives the thread a block, or the shared one if memory runs out.
CREBIND_COUNTING_HIDDEN crebind_counting_block *crebind_counting_claim(void);

/// This thread's block, or the shared one if memory runs out.
static inline crebind_counting_block *crebind_counting_own_block(void) {
  crebind_counting_block *block = crebind_counting_this_thread.block;
  return __builtin_expect(block != NULL, 1) ? block : crebind_counting_claim();
}

/// Not 0 if scopes have begun that are notified of calls: those of tasks, and those that watch images or
/// sites. A call may be one of theirs.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_notified_scopes;
/// Notifies these scopes of a call of this thread.
CREBIND_COUNTING_HIDDEN void crebind_counting_notify(const crebind_counting_block *block,
                                                   const crebind_counting_event *event);

/// Not 0 if scopes keep blocks. These scopes are notified before a call that may free a block.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_leaking_scopes;

/// A block that a call is about to free or to replace, in the scopes whose calls were given it.
typedef struct crebind_counting_move {
  crebind_counting_block *reader;
  int64_t size;
  unsigned count;
  struct crebind_counting_scope *scopes[8];
} crebind_counting_move;

/// Takes a block from the scopes that keep it. False if no scope does: such a move has no end.
CREBIND_COUNTING_HIDDEN bool crebind_counting_begin_move(crebind_counting_move *move,
                                                         const void *block);
/// Takes a block from the scopes that keep it, for good.
CREBIND_COUNTING_HIDDEN void crebind_counting_take(const void *block);
/// Gives them another one for it, or the same one back; NULL if it was freed.
///
/// \param size The other block's size.
CREBIND_COUNTING_HIDDEN void crebind_counting_end_move(const crebind_counting_move *move,
                                                       const void *block, int64_t size);

/// Adds without an atomic addition: no other thread writes.
#define CREBIND_COUNTING_ADD(place, number) \
  atomic_store_explicit(place, atomic_load_explicit(place, memory_order_relaxed) + (number), \
                        memory_order_relaxed)

/// Raises a number that others may raise, too.
static inline void crebind_counting_raise(_Atomic int64_t *number, int64_t value) {
  int64_t now = atomic_load_explicit(number, memory_order_relaxed);
  while (now < value
         && !atomic_compare_exchange_weak_explicit(number, &now, value, memory_order_relaxed,
                                                   memory_order_relaxed))
    continue;
}

/// The functions that somebody counts. The slots of other functions may still lead to their
/// counters.
extern CREBIND_COUNTING_HIDDEN _Atomic bool
    crebind_counting_is_counted[CREBIND_COUNTING_FUNCTION_COUNT];

/// The number of scopes that may need calls of any thread and have not ended. A thread's scope needs the calls of other
/// threads only if it keeps blocks.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_shared_scopes;
/// The number of scopes of the process among them.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_process_scopes;

/// Whether a scope may need a call.
static inline bool crebind_counting_is_on(crebind_counting_function function) {
  return crebind_reach_this_thread.suppressed == 0
         && atomic_load_explicit(&crebind_counting_is_counted[function], memory_order_relaxed)
         && (crebind_counting_this_thread.scopes != 0
             || atomic_load_explicit(&crebind_counting_shared_scopes, memory_order_relaxed) != 0);
}

/// Whether a scope may need this thread's calls, whatever task makes them.
static inline bool crebind_counting_needs_thread(void) {
  return crebind_counting_this_thread.scopes != 0
         || atomic_load_explicit(&crebind_counting_process_scopes, memory_order_relaxed) != 0;
}

/// Adds an event's numbers except `live`. No other thread may write them.
static inline void crebind_counting_add(crebind_counting_sums *sums,
                                        const crebind_counting_event *event) {
  uint32_t marks = event->marks;
  CREBIND_COUNTING_ADD(&sums->calls[event->function], 1);
  if (__builtin_expect(marks == 0, 1)) {
    if (event->bytes != 0) CREBIND_COUNTING_ADD(&sums->bytes, event->bytes);
    return;
  }
  bool is_mapped = (marks & CREBIND_COUNTING_MAPPED) != 0;
  CREBIND_COUNTING_ADD(is_mapped ? &sums->mapped_bytes : &sums->bytes, event->bytes);
  CREBIND_COUNTING_ADD(&sums->without_block, (marks & CREBIND_COUNTING_WITHOUT_BLOCK) != 0);
  CREBIND_COUNTING_ADD(&sums->replaced, (marks & CREBIND_COUNTING_REPLACED) != 0);
  CREBIND_COUNTING_ADD(&sums->without_mapping, (marks & CREBIND_COUNTING_WITHOUT_MAPPING) != 0);
}

/// Notifies the scopes that listen, if any, of a call.
static inline void crebind_counting_notify_if_listening(const crebind_counting_block *block,
                                                 const crebind_counting_event *event) {
  if (atomic_load_explicit(&crebind_counting_notified_scopes, memory_order_relaxed) != 0)
    crebind_counting_notify(block, event);
}

/// Counts a call of a function of Swift's runtime.
static inline void crebind_counting_note_call(crebind_counting_function function,
                                              const void *caller) {
  if (!crebind_counting_is_on(function)) return;
  crebind_counting_block *block = crebind_counting_own_block();
  CREBIND_COUNTING_ADD(&block->sums.calls[function], 1);
  if (atomic_load_explicit(&crebind_counting_notified_scopes, memory_order_relaxed) != 0) {
    crebind_counting_event event = {.function = function, .caller = caller};
    crebind_counting_notify(block, &event);
  }
}

#endif
