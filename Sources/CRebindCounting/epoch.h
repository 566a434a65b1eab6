/// The calls that read the lists of scopes. They take no lock. So a thread that takes a scope off a
/// list waits for them.
///
/// Calls are many, and waits are few. So a call writes no number that all threads share: each thread has numbers of its
/// own, which a wait reads.

#if defined(__linux__) && !defined(CREBIND_COUNTING_EPOCH_H)
#define CREBIND_COUNTING_EPOCH_H

#include "thread-counts.h"

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
  // A wait takes a scope off its list before it looks at `reading`. So this store has to come before the call's loads of
  // the lists. It is an exchange, which is seq_cst. The loads are, too, and both steps of the wait.
  atomic_exchange(&block->reading, reading);
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
