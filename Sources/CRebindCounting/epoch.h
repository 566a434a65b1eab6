/// The calls that read the lists of scopes. They take no lock. So a thread that takes a scope off a
/// list waits for them.
///
/// Calls are many, and waits are few. So a call makes no atomic addition to a number that all threads
/// share. Each thread writes numbers of its own, and a wait has membarrier(2) put them in order.

#ifndef CREBIND_COUNTING_EPOCH_H
#define CREBIND_COUNTING_EPOCH_H

#include "thread-counts.h"

/// membarrier(2) is there. Written before a scope is on a list for the first time.
extern CREBIND_COUNTING_HIDDEN _Atomic bool crebind_counting_has_barrier;

/// Notes that a call of this thread begins to read. Such calls nest if a signal handler interrupts one.
///
/// \returns The argument of `crebind_counting_leave_epoch`.
static inline crebind_counting_block *crebind_counting_enter_epoch(void) {
  crebind_counting_block *block = crebind_counting_own_block();
  if (__builtin_expect(block == &crebind_counting_shared_block, 0)) {
    crebind_counting_this_thread.shared_readings++;
    block->reading++;
    return block;
  }
  uint32_t reading = atomic_load_explicit(&block->reading, memory_order_relaxed) + 1;
  // A wait takes a scope off its list before it looks at `reading`. So this store has to come before
  // the call's loads of the lists. With membarrier the wait sees to that: either it finds the number,
  // or the loads find the list without the scope. Without it, the store is an exchange: that is
  // seq_cst, and so are the loads, and both steps of the wait.
  bool has_barrier = atomic_load_explicit(&crebind_counting_has_barrier, memory_order_relaxed);
  if (__builtin_expect(has_barrier, 1)) {
    atomic_store_explicit(&block->reading, reading, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
  } else {
    atomic_exchange(&block->reading, reading);
  }
  return block;
}

/// The stores are releases, so that the wait comes after all that the call has done with a scope.
static inline void crebind_counting_leave_epoch(crebind_counting_block *block) {
  if (__builtin_expect(block == &crebind_counting_shared_block, 0)) {
    if (--block->reading == 0) block->readings++;
    crebind_counting_this_thread.shared_readings--;
    return;
  }
  uint32_t reading = atomic_load_explicit(&block->reading, memory_order_relaxed) - 1;
  if (reading == 0)
    atomic_store_explicit(&block->readings,
                          atomic_load_explicit(&block->readings, memory_order_relaxed) + 1,
                          memory_order_release);
  atomic_store_explicit(&block->reading, reading, memory_order_release);
}

/// To be called before a scope comes on a list. The caller has the lock.
CREBIND_COUNTING_HIDDEN void crebind_counting_prepare_epochs(void);

/// Waits until the calls that are reading now have ended. The wait is a tenth of a second at most,
/// because a thread may have been stopped. The caller has the lock.
///
/// \returns Whether they have ended.
CREBIND_COUNTING_HIDDEN bool crebind_counting_wait_for_epoch(void);

/// Whether no call is reading. The caller has the lock.
CREBIND_COUNTING_HIDDEN bool crebind_counting_has_empty_epochs(void);

/// Forgets the calls of other threads. It is for a forked process, in which these calls will not
/// end.
CREBIND_COUNTING_HIDDEN void crebind_counting_forget_epochs(void);

/// Sleeps. The time may be frozen for others.
CREBIND_COUNTING_HIDDEN void crebind_counting_pause(long nanoseconds);

#endif
