/// The numbers that counters write.

#ifndef CREBIND_COUNTING_TALLY_H
#define CREBIND_COUNTING_TALLY_H

#include "CRebindCounting.h"
#include "CRebindReach.h"

#include <stdatomic.h>

#define CREBIND_COUNTING_HIDDEN __attribute__((visibility("hidden")))

/// One writer's numbers: a thread's, or those of a thread in a task's scope.
typedef struct crebind_counting_tally {
  _Atomic uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT];
  _Atomic uint64_t without_block, replaced, bytes;
  _Atomic int64_t live;
} crebind_counting_tally;

/// The counts of a thread since it was new. Only the thread writes, so that an addition need not be
/// atomic.
typedef struct crebind_counting_block {
  crebind_reach_block head;
  /// Tells threads apart that live at the same time; from 1.
  uint32_t number;
  /// The greatest `tally.live` since the thread's youngest scope began.
  _Atomic int64_t peak;
  crebind_counting_tally tally;
} crebind_counting_block;

typedef struct crebind_counting_thread {
  crebind_counting_block *block;
  /// A counter of malloc's kind is waiting for the original: what that calls is its own affair.
  bool is_inside;
} crebind_counting_thread;

/// In the static TLS block, because the first access to dynamic TLS allocates.
extern CREBIND_COUNTING_HIDDEN __thread crebind_counting_thread crebind_counting_this_thread
    __attribute__((tls_model("initial-exec")));

/// The blocks of all threads.
extern CREBIND_COUNTING_HIDDEN crebind_reach_blocks crebind_counting_blocks;

/// A call that a counter has seen.
typedef struct crebind_counting_event {
  crebind_counting_function function;
  bool without_block, replaced;
  uint64_t bytes;
  int64_t live;
  /// The return address.
  const void *caller;
} crebind_counting_event;

/// Gives the thread a block. If memory runs out it is one for all threads, whose numbers are then
/// too small.
CREBIND_COUNTING_HIDDEN crebind_counting_block *crebind_counting_claim(void);

/// Not 0: scopes of tasks have begun, and a call may be one of theirs.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_task_scopes;
/// Counts a call in the scopes of the thread's task.
CREBIND_COUNTING_HIDDEN void crebind_counting_note_in_task(const crebind_counting_block *block,
                                                           const crebind_counting_event *event);

/// The scopes of the process that track their peak, a bit each.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_peak_scopes;
/// Counts a change of the memory that is in use in them.
CREBIND_COUNTING_HIDDEN void crebind_counting_note_peak(int64_t live);

/// Adds without an atomic addition: nobody else writes.
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

/// Whether a call is one to be counted.
static inline bool crebind_counting_is_on(void) {
  return crebind_reach_this_thread.suppressed == 0;
}

/// Counts a call of a function that is not of malloc's kind.
static inline void crebind_counting_note_call(crebind_counting_function function,
                                              const void *caller) {
  if (!crebind_counting_is_on()) return;
  crebind_counting_block *block = crebind_counting_this_thread.block;
  if (__builtin_expect(block == NULL, 0)) block = crebind_counting_claim();
  CREBIND_COUNTING_ADD(&block->tally.calls[function], 1);
  if (atomic_load_explicit(&crebind_counting_task_scopes, memory_order_relaxed) != 0) {
    crebind_counting_event event = {.function = function, .caller = caller};
    crebind_counting_note_in_task(block, &event);
  }
}

#endif
